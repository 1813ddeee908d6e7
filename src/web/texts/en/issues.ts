import { formatNumber } from "./numbers.ts";

/** The issues of a report. */
export const issuesTexts = {
  issues: {
    title: "Issues",
    components: "Components",
    componentsWhat: "The same element with the same fault on several pages: one change mends them all.",
    rules: "Rules",
    filters: "Filter",
    engine: "Engine",
    all: "All",
    state: "State",
    impact: "Impact",
    type: "Type",
    text: "Text",
    muted: "Muted",
    mutedOnly: "Only what is muted",
    apply: "Apply",
    reset: "Show everything",
    columns: { rule: "Rule", findings: "Findings", pages: "Pages", impact: "Impact", element: "Element" },
    none: "No findings match",
    noneWhat: "Choose other filters, or show everything.",
    mends: (findings: string, pages: string) => `One change mends ${findings} on ${pages}`,
    sumOfLargest: (components: string, share: string) =>
      `The ${components} that occur most have ${share} of all findings.`,
  },
  issue: {
    guide: "What is wrong and how to fix it",
    wholeGuide: "The whole guide with examples",
    criteria: "Success criteria",
    standard: "In the standard",
    rule: "Rule",
    firstSeen: "First seen",
    elements: "Elements",
    elementsOf: (shown: number, all: number) =>
      shown < all ? `The first ${formatNumber(shown)} of ${formatNumber(all)}` : formatNumber(all),
    pages: "Pages",
    line: (line: number, column: number | null) => `Line ${line}${column === null ? "" : `, column ${column}`}`,
    onPage: "Page",
    mute: "Mute",
    muteWhat: "Muted findings are not counted. They come back when the muting ends.",
    copy: "Copy link",
    copied: "Copied",
    howToFix: "How to fix",
  },
};
