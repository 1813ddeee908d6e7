import {
  countedElements,
  type MutableFinding,
  type MutedIssue,
  mutedElements,
  muteIssue,
  type PageMutings,
} from "./muting.ts";
import { addTally, emptyTally, type Tally, tallyFields } from "./tally.ts";

/** The fields of a stored issue that mutings and counters need. `severity` is the impact of one that is an error or a warning. */
export type CountedIssue = MutedIssue & {
  id: string;
  checkId: string;
  commonId: string;
  /** The text in which a muting's message is searched. */
  text: string;
  rule: string;
  counts: "errors" | "warnings" | "outside_standard";
  severity: "minor" | "moderate" | "serious" | "critical" | null;
};

/** A stored finding. */
export type CountedFinding = MutableFinding & { id: string; mutingId: string | null };

/** An ended check with its stored counts. */
export type CountedCheck = Tally & { id: string; url: string };

export type Recount = {
  /** Issues of which mutings silence a different part than before. */
  issues: (MutedIssue & { id: string })[];
  /** Issues whose findings all have the same muting, or none. */
  whole: { id: string; mutingId: string | null }[];
  /** Findings of other issues, whose muting changes. */
  findings: { id: string; mutingId: string | null }[];
  /** Checks whose counts change, with the new counts. */
  checks: (Tally & { id: string })[];
  /** Changes of the counts of common issues, by id, without zeros. */
  common: Map<string, number>;
  /** Change of the report's counts. */
  change: Tally;
};

/** Whether mutings may silence single findings of an issue, or have done so. */
function dependsOnFindings(mutings: PageMutings, issue: CountedIssue): boolean {
  if (mutings.ofIssue(issue) !== null) return false;
  return issue.mutedCount > 0 || mutings.ofFindings(issue) !== undefined;
}

/**
 * Applies the current mutings to stored issues.
 *
 * @param findings of the issues that depend on them, by issue
 * @returns the resulting changes
 */
export function recount(
  checks: readonly CountedCheck[],
  issues: readonly CountedIssue[],
  findings: ReadonlyMap<string, readonly CountedFinding[]>,
  mutingsOf: (url: string) => PageMutings,
): Recount {
  const result: Recount = {
    issues: [],
    whole: [],
    findings: [],
    checks: [],
    common: new Map(),
    change: emptyTally(),
  };
  const byCheck = Map.groupBy(issues, (issue) => issue.checkId);
  for (const check of checks) {
    const tally = emptyTally();
    const mutings = mutingsOf(check.url);
    for (const issue of byCheck.get(check.id) ?? [])
      count(tally, issue, judge(result, mutings, issue, findings.get(issue.id)));
    if (tallyFields.every((field) => tally[field] === check[field])) continue;
    result.checks.push({ id: check.id, ...tally });
    addTally(result.change, tally);
    addTally(result.change, check, -1);
  }
  for (const [id, by] of result.common) if (by === 0) result.common.delete(id);
  return result;
}

/** @returns what of the issue is muted now */
function judge(
  result: Recount,
  mutings: PageMutings,
  issue: CountedIssue,
  found: readonly CountedFinding[] | undefined,
): MutedIssue {
  const before = { ...issue, howMany: allElements(issue) };
  const { findings: mutingIds, ...now } = muteIssue(mutings, before, found ?? []);
  const isOther =
    now.mutingId !== issue.mutingId || now.howMany !== issue.howMany || now.mutedCount !== issue.mutedCount;
  if (isOther) move(result, issue, now);
  // Findings of a muted issue may have the id of another muting.
  if (!found && (isOther || now.mutingId !== null)) result.whole.push({ id: issue.id, mutingId: now.mutingId });
  for (const [index, { id, mutingId }] of (found ?? []).entries()) {
    const next = mutingIds[index] ?? null;
    if (next !== mutingId) result.findings.push({ id, mutingId: next });
  }
  return now;
}

/** The elements of an issue, silenced or not. */
function allElements({ howMany, mutedCount }: MutedIssue): number {
  return howMany + mutedCount;
}

function count(tally: Tally, { counts, severity }: CountedIssue, now: MutedIssue): void {
  const elements = countedElements(now);
  tally[counts] += elements;
  if (counts !== "outside_standard") tally[`muted_${counts}`] += mutedElements(now);
  if (severity !== null) tally[severity] += elements;
}

function move({ issues, common }: Recount, issue: CountedIssue, now: MutedIssue): void {
  issues.push({ id: issue.id, ...now });
  const by = countedElements(now) - countedElements(issue);
  common.set(issue.commonId, (common.get(issue.commonId) ?? 0) + by);
}

/**
 * How many issues, and elements of issues whose findings are judged one by one, are recounted at once: a page may have
 * 20,000. With many mutings fewer fit, because each is compared with each while others wait.
 */
const MAX_JUDGED = 20_000;
const MAX_COMPARED = 2_000_000;

/**
 * As many of the checks as may be recounted at once; the others are left for the next time.
 *
 * @returns also the issues of these checks, and the ids of those that depend on their findings
 */
export function withinLimit<Check extends CountedCheck>(
  checks: readonly Check[],
  issues: readonly CountedIssue[],
  mutingsOf: (url: string) => PageMutings,
  howManyMutings: number,
): { checks: readonly Check[]; issues: CountedIssue[]; dependent: string[] } {
  const byCheck = Map.groupBy(issues, ({ checkId }) => checkId);
  const dependent: string[] = [];
  let left = Math.min(MAX_JUDGED, MAX_COMPARED / Math.max(1, howManyMutings));
  const beyond = checks.findIndex(({ id, url }, index) => {
    const mutings = mutingsOf(url);
    const all = byCheck.get(id) ?? [];
    const ofCheck = all.filter((issue) => dependsOnFindings(mutings, issue));
    left -= ofCheck.reduce((sum, issue) => sum + allElements(issue), all.length);
    if (index > 0 && left < 0) return true;
    dependent.push(...ofCheck.map((issue) => issue.id));
    return false;
  });
  const within = beyond === -1 ? checks : checks.slice(0, beyond);
  const ids = new Set(within.map(({ id }) => id));
  return { checks: within, issues: issues.filter(({ checkId }) => ids.has(checkId)), dependent };
}
