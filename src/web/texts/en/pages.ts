import { failureCodes } from "../../../domain/failure.ts";
import { plural } from "../../../domain/plural.ts";
import { counted } from "./numbers.ts";

/** The pages of a report. */
export const pagesTexts = {
  pages: {
    title: "Pages",
    columns: { page: "Page", status: "Status", checked: "Last checked" },
    status: { pending: "waiting", checking: "being checked", checked: "checked", failed: "not checked" },
    filter: "The address contains",
    none: "No pages match",
    noneYet: "No pages have been found so far.",
    sort: "Sort",
    sorts: { "": "As found", "errors-desc": "Most errors first", "url-asc": "By address" } as Record<string, string>,
    notChecked: "–",
  },
  page: {
    again: "Check again",
    open: "Open the page",
    linkedFrom: "Linked from",
    screenshot: "Screenshot",
    screenshotAlt: (url: string) => `Screenshot of ${url}`,
    box: (n: number) => `Finding ${n}`,
    inScreenshot: "in the screenshot",
    findings: "Findings",
    noFindings: "Nothing wrong was found on this page.",
    notYet: "This page has not been checked yet.",
    live: "It will be checked soon; what is shown here then updates itself.",
    liveWithout: "It will be checked soon. Without JavaScript, reload this page to see what was found.",
    notChecked: "This page could not be checked.",
    checkedAt: "Checked",
  },
  failed: {
    title: "Not checked",
    failed: "Could not be checked",
    failedNone: "Every page could be checked.",
    excluded: "Left out",
    excludedNone: "No address was left out.",
    columns: { address: "Address", why: "Why", from: "Linked from" },
    morePages: (n: number) => `and ${plural(n, "other page")}`,
    reasons: failureCodes as Readonly<Record<string, string>>,
  },
  crop: {
    alt: (url: string) => `The element, outlined, in the screenshot of ${url}`,
  },
  source: {
    title: "Source",
    what: "The lines with findings, as they were checked.",
    whole: "The whole source",
    notStored: "The source of this page is not stored: it may be too large, or the service does not keep sources.",
    left: (n: number) => `${counted(n, "finding")} not shown here: see the whole source.`,
  },
};
