import type { A11yIssue, HtmlIssue } from "./findings.ts";

/** What a check, and the sum of them a report, counts: affected elements, muted ones left out. */
export type Tally = {
  errors: number;
  warnings: number;
  minor: number;
  moderate: number;
  serious: number;
  critical: number;
};

export const tallyFields = ["errors", "warnings", "minor", "moderate", "serious", "critical"] as const;

export function emptyTally(): Tally {
  return { errors: 0, warnings: 0, minor: 0, moderate: 0, serious: 0, critical: 0 };
}

/**
 * Adds one issue. An accessibility violation is an error, what a person must review a
 * warning; both count in the severity of their impact. HTML has no severity.
 */
export function countIssue(tally: Tally, issue: HtmlIssue | A11yIssue): void {
  const elements = issue.html.length;
  if ("issue_type" in issue) {
    tally[issue.issue_type === "error" ? "errors" : "warnings"] += elements;
  } else {
    tally[issue.review ? "warnings" : "errors"] += elements;
    tally[issue.impact] += elements;
  }
}

/** a += sign × b */
export function addTally(a: Tally, b: Tally, sign: 1 | -1 = 1): void {
  for (const field of tallyFields) a[field] += sign * b[field];
}
