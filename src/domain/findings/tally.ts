import { countOf, type Issue } from "./findings.ts";

/** The counts of a check, or their sum for a report: affected elements, without muted ones except in the last two. */
export type Tally = {
  errors: number;
  warnings: number;
  minor: number;
  moderate: number;
  serious: number;
  critical: number;
  /** Of rules outside of the report's standard: neither errors nor warnings. */
  outside_standard: number;
  /** What would be errors and warnings if it were not muted. */
  muted_errors: number;
  muted_warnings: number;
};

export const tallyFields = [
  ...(["errors", "warnings", "minor", "moderate", "serious", "critical"] as const),
  ...(["outside_standard", "muted_errors", "muted_warnings"] as const),
] as const;

export function emptyTally(): Tally {
  return Object.fromEntries(tallyFields.map((field) => [field, 0])) as Tally;
}

/**
 * Adds one issue with those of its elements that count, as an error or a warning, and under its impact if it has one.
 * What is outside of the report's standard is counted separately.
 *
 * @param elements how many of its elements count, and how many are muted
 */
export function countIssue(tally: Tally, issue: Issue, elements: number = countOf(issue), muted = 0): void {
  if (issue.outside_standard) {
    tally.outside_standard += elements;
    return;
  }
  const type = issue.issue_type === "error" ? "errors" : "warnings";
  tally[type] += elements;
  tally[`muted_${type}`] += muted;
  if (issue.impact) tally[issue.impact] += elements;
}

/** Adds `b` to `a`, or subtracts it. */
export function addTally(a: Tally, b: Tally, sign: 1 | -1 = 1): void {
  for (const field of tallyFields) a[field] += sign * b[field];
}
