import { countOf, type Issue } from "./findings.ts";

/** The counts of a check, or their sum for a report: affected elements without muted ones. */
export type Tally = {
  errors: number;
  warnings: number;
  minor: number;
  moderate: number;
  serious: number;
  critical: number;
  /** Of rules outside of the report's standard: neither errors nor warnings. */
  outside_standard: number;
};

export const tallyFields = [
  ...(["errors", "warnings", "minor", "moderate", "serious", "critical"] as const),
  "outside_standard",
] as const;

export function emptyTally(): Tally {
  return { errors: 0, warnings: 0, minor: 0, moderate: 0, serious: 0, critical: 0, outside_standard: 0 };
}

/**
 * Adds one issue with those of its elements that count, as an error or a warning, and under its impact if it has one.
 * What is outside of the report's standard is counted separately.
 */
export function countIssue(tally: Tally, issue: Issue, elements: number = countOf(issue)): void {
  if (issue.outside_standard) {
    tally.outside_standard += elements;
    return;
  }
  tally[issue.issue_type === "error" ? "errors" : "warnings"] += elements;
  if (issue.impact) tally[issue.impact] += elements;
}

/** Adds `b` to `a`, or subtracts it. */
export function addTally(a: Tally, b: Tally, sign: 1 | -1 = 1): void {
  for (const field of tallyFields) a[field] += sign * b[field];
}
