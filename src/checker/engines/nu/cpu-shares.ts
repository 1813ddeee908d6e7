/** A document that is being checked, and the part of the server's time that it has had. */
export type Share = {
  /** CPU time, in milliseconds. */
  usedMs: number;
  /** When its check began. */
  startedAt: number;
};

/**
 * Divides the CPU time of a server among the documents that it is checking: one process checks several, and does
 * not report how long it works on each.
 *
 * @param spentMs the server's CPU time since the last division
 */
export function divideTime(running: Iterable<Share>, spentMs: number): void {
  const shares = [...running];
  for (const share of shares) share.usedMs += spentMs / shares.length;
}

/**
 * The document that takes too long, if there is one: that with the largest share above the limit, or one that has
 * waited too long by the clock, because a process that gets no CPU time is stuck.
 *
 * @param limitMs CPU time of a document; `maxClockMs` is time by the clock
 */
export function overdue<S extends Share>(
  running: Iterable<S>,
  now: number,
  { limitMs, maxClockMs }: { limitMs: number; maxClockMs: number },
): S | undefined {
  return [...running]
    .filter(({ usedMs, startedAt }) => usedMs >= limitMs || now - startedAt >= maxClockMs)
    .sort((a, b) => b.usedMs - a.usedMs || a.startedAt - b.startedAt)[0];
}
