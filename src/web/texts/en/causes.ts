import { counted, formatNumber, formatShare } from "./numbers.ts";

/** What to change first, and what that removes. */
export const causesTexts = {
  causes: {
    title: "All causes",
    caption: "Causes, those that remove most first",
    sum: (n: number, errors: number) => `${counted(n, "cause")}, ${counted(errors, "error")}`,
    verifiedSum: (verified: number, others: number) =>
      `${formatNumber(verified)} verified, ${formatNumber(others)} estimated or not verified`,
    columns: {
      cause: "Cause and place",
      removes: "Removes",
      knownBy: "Known by",
      impact: "Impact",
      role: "Role",
      places: "To edit",
    },
    knownBy: { verified: "verified", estimated: "estimated", not_verified: "not verified" },
    someVerified: (verified: number) => `${formatNumber(verified)} verified`,
    htmlOnly: "HTML only",
    noCriterion: "no criterion",
    removes: (n: number) => `−${formatNumber(n)}`,
    removesErrors: (n: number) => `−${counted(n, "error")}`,
    share: (part: number, all: number) => formatShare(part, all),
    rules: (n: number, pages: number) => `${n === 1 ? "one rule" : counted(n, "rule")}, ${counted(pages, "page")}`,
    ofRules: (n: number, pages: number) =>
      `of ${n === 1 ? "one rule" : counted(n, "rule")} on ${counted(pages, "page")}`,
    byRules: (n: number) => (n === 1 ? "By one rule:" : `By ${counted(n, "rule")}:`),
    places: (n: number) => counted(n, "place"),
    allPlaces: (n: number) => (n === 1 ? "The place" : `All ${counted(n, "place")}`),
    allPlacesOf: (n: number, title: string) => `${n === 1 ? "The place" : `All ${counted(n, "place")}`} of: ${title}`,
    each: (n: string) => `${n} each`,
    before: "Before: ",
    after: "After: ",
    line: (n: number) => `source line ${formatNumber(n)}`,
    onPages: (n: number) => `On ${counted(n, "page")}`,
    everyPage: "the page as a whole",
    sort: "Sort by",
    sorts: {
      "how_many-desc": "gain: most errors",
      "places-asc": "effort: fewest places",
      "gain-desc": "gain for each place",
      "impact-desc": "impact",
    },
    apply: "Apply",
    means:
      "Counts beside filters are causes. Each error belongs to one cause: the rows add up to all errors. “To edit” is the number of places in source that have to be changed.",
    knownMeans:
      "Verified: the change was made in a copy of each page, and each was checked again. Estimated: it was tried on some, the others are alike. Not verified: it could not be tried, or did not help.",
    leftOut: (n: number, errors: number) =>
      `${counted(n, "cause")} more with ${counted(errors, "error")}, those that remove least, are not listed.`,
    none: "No cause is like that",
    noneWhat: (n: number) => `There are ${counted(n, "cause")}:`,
    showAll: "Show all",
  },
};
