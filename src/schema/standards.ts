/** What makes an accessibility finding an error: a standard that it fails, or `all`, which is every rule. */
export const reportStandards = [
  ...(["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"] as const),
  ...(["section508", "en301549", "all"] as const),
] as const;
export type ReportStandard = (typeof reportStandards)[number];

/** The standard of a report that names none: the specification counts all that is found. */
export const defaultStandard = "all" satisfies ReportStandard;
