import { counted } from "./numbers.ts";

/** The source of a page. */
export const sourceTexts = {
  source: {
    title: "Source",
    what: "The lines with findings, as they were checked.",
    whole: "The whole source",
    notStored: "The source of this page is not stored: it may be too large, or the service does not keep sources.",
    left: (n: number) => `${counted(n, "finding")} not shown here: see the whole source.`,
  },
};
