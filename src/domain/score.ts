import type { Impact } from "./findings/findings.ts";
import type { Role } from "./findings/role.ts";
import type { SuccessCriterion, WcagLevel } from "./findings/success-criteria.ts";
import { roundedParts } from "./rounded-parts.ts";

/** What a page of 100 loses for a cause of errors on it, once, by the worst impact of the cause. */
export const losses: Readonly<Record<Impact | "none", number>> = {
  critical: 10,
  serious: 5,
  moderate: 2,
  minor: 1,
  none: 1,
};
export const FULL_SCORE = 100;

/** What the checked pages of a report lose together, a page at most 100. */
export type Lost = { lost: number; checked: number };

/** The mean over checked pages, rounded down; null without a page. */
export function scoreOf({ lost, checked }: Lost): number | null {
  return checked === 0 ? null : Math.floor((FULL_SCORE * checked - lost) / checked);
}

/** The same, not rounded: for a pace. */
function exactScore({ lost, checked }: Lost): number {
  return FULL_SCORE - lost / Math.max(1, checked);
}

/** A cause as a loss: its impact, and on how many pages it is. */
export type Loss = { impact: Impact | null; num_pages: number; role: Role; criteria: readonly SuccessCriterion[] };

export const lossLevels = ["A", "AA", "AAA", "none"] as const;
export type LossLevel = (typeof lossLevels)[number];

/** The least level that a cause fails. */
function levelOf({ criteria }: Pick<Loss, "criteria">): LossLevel {
  const levels = new Set<WcagLevel>(criteria.map(({ level }) => level));
  return lossLevels.find((level) => level !== "none" && levels.has(level)) ?? "none";
}

const DIGITS = 1;
/** A half is rounded up, also where floating point has a little less. */
const A_LITTLE = 1e-9;

/** How many points are lost, with one digit, and by what: both lists add up to it. */
export type LossParts = { points: number; by_level: Record<LossLevel, number>; by_role: Record<Role, number> };

export function lossParts({ lost, checked }: Lost, causes: readonly Loss[]): LossParts {
  const all = causes.reduce((sum, cause) => sum + weightOf(cause), 0);
  // Pages that lose more than all have lost 100: the parts share that.
  const scale = all === 0 ? 0 : lost / all / Math.max(1, checked);
  const parts = <Key extends string>(keys: readonly Key[], keyOf: (cause: Loss) => Key): Record<Key, number> => {
    const sums = keys.map((key) =>
      causes.reduce((sum, cause) => (keyOf(cause) === key ? sum + weightOf(cause) * scale : sum), 0),
    );
    const shown = roundedParts(
      sums.map((part) => part + A_LITTLE),
      DIGITS,
    );
    return Object.fromEntries(keys.map((key, index) => [key, shown[index] ?? 0])) as Record<Key, number>;
  };
  return {
    points: Number((lost / Math.max(1, checked) + A_LITTLE).toFixed(DIGITS)),
    by_level: parts(lossLevels, levelOf),
    by_role: parts(["template", "design", "content"], ({ role }) => role),
  };
}

/**
 * The score without some causes, rounded down like the score. Where pages would lose more than all, what a cause costs
 * is smaller in proportion, as in `lossParts`.
 *
 * @param mended some of all causes
 */
export function scoreWithout(of: Lost, causes: readonly Loss[], mended: readonly Loss[]): number {
  const sum = (list: readonly Loss[]) => list.reduce((all, cause) => all + weightOf(cause), 0);
  const all = sum(causes);
  const left = all === 0 ? 0 : of.lost * (1 - sum(mended) / all);
  return scoreOf({ lost: Math.max(0, left - A_LITTLE), checked: of.checked }) ?? FULL_SCORE;
}

/** What a cause costs all pages together. */
function weightOf({ impact, num_pages }: Loss): number {
  return losses[impact ?? "none"] * num_pages;
}

/** From so many runs on a pace is told. */
export const MIN_RUNS = 4;

const DAY = 86_400_000;
/** What is further away is no expectation. */
const MOST_DAYS = 3_650;

/** Since when a score was never below a target; undefined while the last run is. @param runs the oldest first */
export function reachedSince<Run extends Lost & { at: Date }>(runs: readonly Run[], target: number): Date | undefined {
  const below = runs.findLastIndex((run) => (scoreOf(run) ?? 0) < target);
  return runs[below + 1]?.at;
}

/**
 * When a score is reached on a straight line through two runs; undefined when it is not getting better, or that is ten years away.
 */
export function expectedAt(first: Lost & { at: Date }, last: Lost & { at: Date }, target: number): Date | undefined {
  const days = (last.at.getTime() - first.at.getTime()) / DAY;
  const pace = days > 0 ? (exactScore(last) - exactScore(first)) / days : 0;
  const left = target - exactScore(last);
  if (left <= 0) return last.at;
  return pace > 0 && left / pace <= MOST_DAYS ? new Date(last.at.getTime() + (left / pace) * DAY) : undefined;
}
