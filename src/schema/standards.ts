/** Which accessibility findings are errors or warnings: those that fail this standard; with `all`, every finding. */
export const reportStandards = [
  ...(["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"] as const),
  ...(["section508", "en301549", "all"] as const),
] as const;
export type ReportStandard = (typeof reportStandards)[number];

/** The standard of a report that names none. The API's specification requires that all findings count. */
export const defaultStandard = "all" satisfies ReportStandard;
