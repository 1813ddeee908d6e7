/** The time is counted in steps of this length: a pause of the process uses up one step at most. */
const STEP_MS = 1_000;
/** A step that took so much longer means that the process stood still, and has not read what arrived meanwhile. */
const LATE_MS = 500;

export type Clock = { now: () => number; setTimeout: typeof setTimeout };

/**
 * Calls `onOver` when the process has run for this long. While it stands still (frozen with its container, or kept
 * from a core), no time passes: a peer that responded in time is not blamed.
 *
 * @returns a function that stops it
 */
export function awakeTimeout(
  ms: number,
  onOver: () => void,
  clock: Clock = { now: () => performance.now(), setTimeout },
): () => void {
  let left = ms;
  let timer: NodeJS.Timeout;
  const step = (): void => {
    const length = Math.min(left, STEP_MS);
    const started = clock.now();
    timer = clock.setTimeout(() => {
      const isLate = clock.now() - started > length + LATE_MS;
      left -= length;
      if (left <= 0 && isLate) left = STEP_MS;
      if (left > 0) step();
      else onOver();
    }, length);
  };
  step();
  return () => clearTimeout(timer);
}
