import { findMuting, type Muting } from "./muting.ts";
import { addTally, emptyTally, type Tally, tallyFields } from "./tally.ts";

/** The fields of a stored issue that mutings and counters need. `severity` is an a11y issue's impact. */
export type CountedIssue = {
  id: string;
  checkId: string;
  commonId: string;
  /** The text in which a muting's message is searched. */
  text: string;
  howMany: number;
  counts: "errors" | "warnings";
  severity: "minor" | "moderate" | "serious" | "critical" | null;
  mutingId: string | null;
};

/** An ended check with its stored counts. */
export type CountedCheck = Tally & { id: string; url: string };

export type Recount = {
  /** Issues whose muting changes. */
  issues: { id: string; mutingId: string | null }[];
  /** Checks whose counts change, with the new counts. */
  checks: (Tally & { id: string })[];
  /** Changes of the counts of common issues, by id, without zeros. */
  common: Map<string, number>;
  /** Change of the report's counts. */
  change: Tally;
};

/** Applies the current mutings to stored issues. @returns the resulting changes */
export function recount(
  checks: readonly CountedCheck[],
  issues: readonly CountedIssue[],
  mutings: readonly Muting[],
): Recount {
  const result: Recount = { issues: [], checks: [], common: new Map(), change: emptyTally() };
  const byCheck = Map.groupBy(issues, (issue) => issue.checkId);
  for (const check of checks) {
    const tally = emptyTally();
    for (const issue of byCheck.get(check.id) ?? []) {
      const mutingId = findMuting(mutings, check.url, issue.text)?.id ?? null;
      if (mutingId === null) count(tally, issue);
      if (mutingId !== issue.mutingId) move(result, issue, mutingId);
    }
    if (tallyFields.every((field) => tally[field] === check[field])) continue;
    result.checks.push({ id: check.id, ...tally });
    addTally(result.change, tally);
    addTally(result.change, check, -1);
  }
  for (const [id, by] of result.common) if (by === 0) result.common.delete(id);
  return result;
}

function count(tally: Tally, { counts, severity, howMany }: CountedIssue): void {
  tally[counts] += howMany;
  if (severity !== null) tally[severity] += howMany;
}

function move({ issues, common }: Recount, issue: CountedIssue, mutingId: string | null): void {
  issues.push({ id: issue.id, mutingId });
  const counted = (muting: string | null) => (muting === null ? issue.howMany : 0);
  const by = counted(mutingId) - counted(issue.mutingId);
  common.set(issue.commonId, (common.get(issue.commonId) ?? 0) + by);
}
