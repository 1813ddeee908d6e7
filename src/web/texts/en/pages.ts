import { failureCodes } from "../../../domain/failure.ts";
import { plural } from "../../../domain/plural.ts";
import { counted, formatNumber } from "./numbers.ts";

/** The pages of a report. */
export const pagesTexts = {
  pages: {
    title: "Pages",
    columns: { page: "Page", status: "Status", new: "New errors", took: "Took", checked: "Last checked" },
    status: { pending: "waiting", checking: "being checked", checked: "checked", failed: "not checked" },
    filter: "The address contains",
    none: "No pages match",
    noneYet: "No pages have been found so far.",
    sort: "Sort",
    sorts: {
      "": "As found",
      "errors-desc": "Most errors first",
      "url-asc": "By address",
      "new_errors-desc": "Most new errors first",
      "duration-desc": "Slowest first",
    } as Record<string, string>,
    notChecked: "–",
  },
  page: {
    again: "Check again",
    open: "Open the page",
    linkedFrom: "Linked from",
    took: "Took",
    screenshot: "Picture",
    screenshotAlt: (url: string) => `Screenshot of ${url}`,
    box: (n: number) => `Finding ${n}`,
    inScreenshot: "Findings in the picture",
    findings: "Findings",
    steps: { previous: "The finding before", next: "The next finding" },
    notAmong:
      "The finding that the address names is not among these: it may be muted, mended, of another role or in another part of the list.",
    withoutImpact: "HTML only",
    lines: (lines: readonly number[]) => `Lines ${lines.slice(0, 20).join(", ")}${lines.length > 20 ? ", …" : ""}`,
    onPages: "All pages with the same",
    foundBy: "Found by",
    copyMarkdown: "Copy as Markdown",
    markdown: { page: "Page", element: "Element" },
    noFindings: "Nothing wrong was found on this page.",
    notYet: "This page has not been checked yet.",
    live: "It will be checked soon; what is shown here then updates itself.",
    liveWithout: "It will be checked soon. Without JavaScript, reload this page to see what was found.",
    notChecked: "This page could not be checked.",
    checkedAt: "Checked",
  },
  editors: {
    title: "For editors",
    which: "Which page?",
    errors: "errors",
    show: "Show",
    things: (n: number) => `${counted(n, "thing")} to repair`,
    atLeastThings: (n: number) => `At least ${counted(n, "thing")} to repair`,
    where: {
      content: "in the text of this page.",
      template: "in the template: other pages have them, too.",
      design: "in the design: colours and sizes.",
    },
    roles: { content: "For editors", template: "Template", design: "Design" },
    nothing: "Nothing to repair here was found on this page.",
    running: "Who can fix what is known when the report has ended",
    source: "In the source",
    more: "The whole page, for developers",
    limits:
      "A program found these. It cannot judge everything: whether a text alternative is a good one, only people can say.",
    byPage: "By page, for editors",
    byPageWhat: "What is in the text of a page: errors that are in a template or the design are listed by rule above.",
    others: (n: number) =>
      `${counted(n, "other error")} of this page ${n === 1 ? "is" : "are"} in templates and the design.`,
  },
  failed: {
    title: "Not checked",
    failed: "Could not be checked",
    couldNot: (n: number) => `${counted(n, "page")} could not be checked`,
    wereLeftOut: (n: number) => `${counted(n, "address", "addresses")} ${n === 1 ? "was" : "were"} left out`,
    failedNone: "Every page could be checked.",
    excluded: "Left out",
    excludedNone: "No address was left out.",
    countedOf: (part: number, whole: number) =>
      `The numbers beside the reasons are of the ${formatNumber(part)} listed here, of ${formatNumber(whole)} in all.`,
    columns: { address: "Address", why: "Why", from: "Linked from" },
    morePages: (n: number) => `and ${plural(n, "other page")}`,
    reasons: failureCodes as Readonly<Record<string, string>>,
  },
  crop: {
    alt: (url: string) => `The element, outlined, as it was on ${url}`,
  },
  source: {
    title: "Source",
    without: (lines: number) => `${counted(lines, "line")} without findings`,
    whole: "The whole source",
    shapes: { a: "accessibility", h: "HTML", ah: "both" },
    notStored: "The source of this page is not stored: it may be too large, or the service does not keep sources.",
    left: (n: number) => `${counted(n, "finding")} not shown here: see the whole source.`,
  },
};
