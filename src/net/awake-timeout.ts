import { LATE_MS, MAX_CLOCK_FACTOR, STEP_MS } from "../time/clock-limit.ts";

export type Clock = { now: () => number; setTimeout: typeof setTimeout };

/**
 * Calls `onOver` when the process has run for `ms` milliseconds. Time in which it is suspended (its container frozen,
 * or no core free) is not counted, so that a peer that responded in time is not blamed. A process that is late all the
 * time gives it MAX_CLOCK_FACTOR times as many steps at most.
 *
 * @returns a function that cancels the timeout
 */
export function awakeTimeout(
  ms: number,
  onOver: () => void,
  clock: Clock = { now: () => performance.now(), setTimeout },
): () => void {
  let left = ms;
  let extra = ms * (MAX_CLOCK_FACTOR - 1);
  let timer: NodeJS.Timeout;
  const step = (): void => {
    const length = Math.min(left, STEP_MS);
    const started = clock.now();
    timer = clock.setTimeout(() => {
      const isLate = clock.now() - started > length + LATE_MS;
      left -= length;
      if (left <= 0 && isLate && extra > 0) {
        left = STEP_MS;
        extra -= STEP_MS;
      }
      if (left > 0) step();
      else onOver();
    }, length);
  };
  step();
  return () => clearTimeout(timer);
}
