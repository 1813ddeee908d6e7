import type { Stillness, Timers } from "./late-content.ts";
import type { UnderWay, Watch } from "./watch.ts";

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

/** What the page did by itself before something was done to it. */
export type Earlier = {
  /** Its requests in progress, by their ids: it is not waited for them, and those that follow them are not news. */
  underWay: ReadonlyMap<string, UnderWay>;
  /** As `Timers` has it. */
  polling: number;
};

/**
 * Waits until what was done to a page has come: what its scripts ask for is there, nothing is added any more, and no
 * animation that ends is under way.
 *
 * @param isAsking whether scripts have asked for something since
 * @returns what was still changing when the time for that was over, in words
 */
export async function untilStill(
  { watch, read, timers, now }: Still,
  earlier: Earlier,
  isAsking: boolean,
): Promise<string[]> {
  const start = now();
  const polled = new Set([...earlier.underWay.values()].map(addressOf));
  const awaited = (): string[] =>
    [...watch.underWay()].flatMap(([id, request]) => (earlier.underWay.has(id) ? [] : [addressOf(request)]));
  const isDue = dueWithin({ watch, now, end: start + MAX_WAIT_MS });
  let unaskedMs = UNASKED_MS;
  let asked = watch.asked();
  let askedAt = isAsking ? start : Number.NEGATIVE_INFINITY;
  for (;;) {
    const still = await read().catch(() => undefined);
    const due = await timers().catch(() => ({ any: 0, repeated: 0, last: 0, polling: earlier.polling }));
    if (awaited().length > 0 || watch.asked() > asked) askedAt = now();
    asked = watch.asked();
    const left = start + MAX_WAIT_MS - now();
    const unasked = now() - askedAt;
    // What is asked for again and again is asked for once in such a time.
    unaskedMs = Math.max(unaskedMs, due.repeated + UNASKED_MS / 2);
    const isPolling = due.polling !== earlier.polling && now() - start < MAX_MINOR_MS;
    const isOver = still !== undefined && still.animated === "" && unasked > unaskedMs && !isPolling && !isDue(due);
    if (isOver && still.changed > STILL_MS) return [];
    if (isOver && still.added > STILL_MS && now() - start > MAX_MINOR_MS) return [];
    if (left <= 0) {
      const unanswered = awaited().filter((address) => !polled.has(address));
      return changing(still, unanswered);
    }
    await watch.changes(Math.min(left, POLL_MS));
  }
}

/** Whether a timer is still to fire. Those that are started again and again and ask for nothing, as clocks do, do not count. */
function dueWithin({ watch, now, end }: Pick<Still, "watch" | "now"> & { end: number }) {
  let seen = 0;
  let starts = 0;
  let asked = watch.asked();
  return ({ any, repeated, last }: Pick<Timers, "any" | "repeated" | "last">): boolean => {
    if (watch.asked() > asked) starts = 0;
    asked = watch.asked();
    const due = Math.max(any, repeated);
    if (due <= 0 || now() + due > end) return false;
    if (last !== seen) starts += 1;
    seen = last;
    return starts <= MAX_STARTS;
  };
}
const MAX_STARTS = 3;

function changing(still: Stillness | undefined, urls: readonly string[]): string[] {
  const { animated = "", added = 0, lastAdded = "" } = still ?? {};
  return [
    ...urls.slice(0, 3).map((url) => `${url} had not answered`),
    ...(animated === "" ? [] : [`${animated} was still moving`]),
    ...(lastAdded !== "" && added < STILL_MS ? [`${lastAdded} had just been added`] : []),
  ];
}

/** Without what a page may add so that each request is another one. */
function addressOf({ url }: UnderWay): string {
  return url.replace(/[?#].*/s, "");
}
