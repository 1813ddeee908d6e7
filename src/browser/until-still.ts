import type { Stillness, Timers } from "./late-content.ts";
import type { Watch } from "./watch.ts";

const POLL_MS = 80;
/** A document is still after this time without a change, and without a request if it has asked for something: some ask again. */
const STILL_MS = 250;
const UNASKED_MS = 700;
/** The longest wait: while something is added, and while texts and attributes change, as those of clocks do. */
const MAX_WAIT_MS = 5_000;
const MAX_MINOR_MS = 2_000;

type Still = {
  watch: Watch;
  /** Both fail while the document is replaced. */
  read(): Promise<Stillness>;
  timers(): Promise<Timers>;
  /** In ms. */
  now(): number;
};

/**
 * Waits until what was done to a page has come: what its scripts ask for is there, nothing is added any more, and no
 * animation that ends is under way.
 *
 * @param isAsking whether scripts have asked for something since
 * @returns what was still changing when the time for that was over, in words
 */
export async function untilStill({ watch, read, timers, now }: Still, isAsking: boolean): Promise<string[]> {
  const start = now();
  const isDue = dueWithin(now, start + MAX_WAIT_MS);
  let askedAt = isAsking ? start : Number.NEGATIVE_INFINITY;
  for (;;) {
    if (watch.underWay().size > 0) askedAt = now();
    const still = await read().catch(() => undefined);
    const left = start + MAX_WAIT_MS - now();
    const unasked = now() - askedAt;
    const isWaiting = isDue(await timers().catch(() => ({ any: 0, repeated: 0 })));
    const isOver = still !== undefined && still.animated === "" && unasked > UNASKED_MS && !isWaiting;
    if (isOver && still.changed > STILL_MS) return [];
    if (isOver && still.added > STILL_MS && now() - start > MAX_MINOR_MS) return [];
    if (left <= 0)
      return changing(
        still,
        [...watch.underWay().values()].map(({ url }) => url),
      );
    await watch.changes(Math.min(left, POLL_MS));
  }
}

/** Whether a timer is still to fire. Those that are started again and again, as those of clocks are, do not count. */
function dueWithin(now: () => number, end: number) {
  let last = 0;
  let starts = 0;
  return ({ any, repeated }: Omit<Timers, "leaving">): boolean => {
    const due = Math.max(any, repeated);
    const at = now() + due;
    if (due <= 0 || at > end) return false;
    if (Math.abs(at - last) > SAME_MS) starts += 1;
    last = at;
    return starts <= MAX_STARTS;
  };
}
const SAME_MS = 40;
const MAX_STARTS = 3;

function changing(still: Stillness | undefined, urls: readonly string[]): string[] {
  const { animated = "", added = 0, lastAdded = "" } = still ?? {};
  return [
    ...urls.slice(0, 3).map((url) => `${url.replace(/[?#].*/s, "")} had not answered`),
    ...(animated === "" ? [] : [`${animated} was still moving`]),
    ...(lastAdded !== "" && added < STILL_MS ? [`${lastAdded} had just been added`] : []),
  ];
}
