import { Parser } from "htmlparser2";

/** A title stands in the first part of a document. */
const MAX_READ = 100_000;
const MAX_LENGTH = 300;

/** The text of a document's first title outside of drawings, in one line and shortened; null without one. */
export function pageTitle(source: string): string | null {
  let title: string | undefined;
  let drawings = 0;
  let isOpen = false;
  const parser = new Parser({
    onopentagname: (name) => {
      if (name === "svg") drawings += 1;
      if (name !== "title" || drawings > 0 || title !== undefined) return;
      isOpen = true;
      title = "";
    },
    ontext: (text) => {
      if (isOpen) title += text;
    },
    onclosetag: (name) => {
      if (name === "svg") drawings -= 1;
      if (name !== "title" || !isOpen) return;
      isOpen = false;
      // What comes after it is not read.
      parser.pause();
    },
  });
  parser.end(source.slice(0, MAX_READ));
  const text = title?.replaceAll("\0", "").replace(/\s+/g, " ").trim() ?? "";
  return text === "" ? null : [...text].slice(0, MAX_LENGTH).join("");
}
