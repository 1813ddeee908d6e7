/** The checks of one kind: how many wait or run, and when the newest of those that have ended did so, in any order. */
export type KindProgress = { pending: number; ended: readonly Date[] };

export type Estimate = {
  checksPerMinute: number;
  /** Pages that are checked by all kinds: as many as the slowest kind checks. */
  pagesPerMinute: number;
  secondsLeft: number;
};

/** Checks that ended earlier say nothing about now: the report waited, or a page of an old one is checked again. */
const RECENT_MS = 10 * 60_000;
/** Fewer checks, or a shorter time, are chance. */
const LEAST_ENDED = 10;
const LEAST_MS = 5_000;
/** This many are not chance, however fast. Of a fast report only the newest are known. */
const MANY_ENDED = 100;
/** Results are stored in batches: a shorter time would measure one batch only. */
const LEAST_MS_OF_MANY = 200;

/**
 * How fast a report is checked, and how long it takes at that rate: as long as its slowest kind, since the kinds are
 * checked at the same time. Counts only recent checks, up to now, so that the estimate of a stalled report grows.
 *
 * @returns undefined until there are enough checks, and when nothing is left
 */
export function estimate(kinds: readonly KindProgress[], now: Date): Estimate | undefined {
  const rates = kinds.map(({ pending, ended }) => ({ pending, perMs: rateOf(ended, now) }));
  const waiting = rates.filter(({ pending }) => pending > 0);
  if (waiting.length === 0 || waiting.some(({ perMs }) => perMs === undefined)) return undefined;
  const perMs = rates.reduce((sum, rate) => sum + (rate.perMs ?? 0), 0);
  const left = Math.max(...waiting.map((rate) => rate.pending / (rate.perMs ?? 1)));
  const slowest = Math.min(...waiting.map((rate) => rate.perMs ?? 0));
  return {
    checksPerMinute: Math.round(perMs * 60_000),
    pagesPerMinute: Math.round(slowest * 60_000),
    secondsLeft: Math.ceil(left / 1_000),
  };
}

/** Parts of the time of a run, all as long: how many pages ended in each is a bar. */
export type RateParts = { from: Date; secondsEach: number; parts: number };

const PARTS = 12;
const LEAST_SECONDS = 5;
const MOST_SECONDS = 150;

/** The last part of a run that began at a time, at most half an hour, in twelve parts of at least five seconds. */
export function ratePartsOf(began: Date, now: Date): RateParts {
  const seconds = Math.ceil((now.getTime() - began.getTime()) / 1_000 / PARTS);
  const secondsEach = Math.min(MOST_SECONDS, Math.max(LEAST_SECONDS, seconds));
  const from = new Date(now.getTime() - PARTS * secondsEach * 1_000);
  return { from, secondsEach, parts: PARTS };
}

/** Checks per millisecond since the oldest of the recent ones ended; that one is not counted. */
function rateOf(ended: readonly Date[], now: Date): number | undefined {
  const ages = ended.map((end) => now.getTime() - end.getTime()).filter((age) => age >= 0 && age <= RECENT_MS);
  const span = Math.max(0, ...ages);
  const leastMs = ages.length < MANY_ENDED ? LEAST_MS : LEAST_MS_OF_MANY;
  if (ages.length < LEAST_ENDED || span < leastMs) return undefined;
  return (ages.length - 1) / span;
}
