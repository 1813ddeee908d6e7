/**
 * How many requests at once a site gets: fewer if it answers more slowly the more it is asked, as a development server does that
 * answers one after the other. What it answers does not come sooner by asking for more at once then, and others wait, too: whoever signs in.
 */
export type Pace = {
  /** An answer has taken so long, while so many were waited for at once. */
  note(ms: number, atOnce: number): void;
  /** The most at once; infinite as long as nothing speaks against more. */
  limit(): number;
};

/** Answers that are looked at together. */
const WINDOW = 6;
/** A site that answers within this time is not slow. */
const SLOW_MS = 1_000;
/** So many times as long as alone is more slowly. */
const SLOWER = 2.5;
/** Fewer at once have helped if answers take less than this part of the time before. */
const HELPED = 0.75;

export function createPace(): Pace {
  let limit = Number.POSITIVE_INFINITY;
  /** How long it takes if it is hardly asked. */
  let alone: number | undefined;
  /** What it was before there were fewer at once. */
  let before: { limit: number; median: number } | undefined;
  let answers: number[] = [];
  let most = 1;
  const judge = (median: number): void => {
    alone = Math.min(alone ?? median, median);
    if (before && median > HELPED * before.median) {
      // It is as slow as that, however little it is asked.
      limit = before.limit;
      alone = median;
    } else if (median > SLOW_MS && median > SLOWER * alone && most > 1) {
      before = { limit, median };
      limit = Math.max(1, Math.floor(Math.min(limit, most) / 2));
      return;
    } else if (median < SLOW_MS / 2) limit += 1;
    before = undefined;
  };
  return {
    limit: () => limit,
    note(ms, atOnce) {
      // The first page is asked for alone.
      alone ??= ms;
      most = Math.max(most, atOnce);
      answers.push(ms);
      if (answers.length < WINDOW) return;
      judge(answers.toSorted((a, b) => a - b)[WINDOW / 2] ?? 0);
      answers = [];
      most = 1;
    },
  };
}
