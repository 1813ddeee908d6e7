import { within } from "./within.ts";

/**
 * A limit of work (processor time, on a busy machine) has a limit by the clock beside it, of this many times as much:
 * the wait for a process that hangs, or is not given any time, ends.
 */
export const MAX_CLOCK_FACTOR = 3;

/**
 * Waits for `work` until `usedMs` has grown by `ms`, and MAX_CLOCK_FACTOR times as long by the clock. Work that takes longer
 * continues, and its error is then ignored.
 *
 * @param usedMs how much has been used; on a busy machine less than has passed
 * @returns the result, or `otherwise` when the time is over
 * @throws the error of `work`, if it fails in time
 */
export async function withinUsed<Result, Otherwise>(
  ms: number,
  usedMs: () => number,
  work: Promise<Result>,
  otherwise: Otherwise,
): Promise<Result | Otherwise> {
  const start = usedMs();
  const late = Symbol("late");
  for (let waits = 0; waits < MAX_CLOCK_FACTOR; waits += 1) {
    const result = await within(ms, work, late);
    if (result !== late) return result as Result;
    if (usedMs() - start >= ms) break;
  }
  return otherwise;
}

/** Such a limit is counted in steps of this length: a pause of the process uses up one step at most. */
export const STEP_MS = 1_000;
/** If a step takes this much longer, the process was suspended and has not yet read what arrived in the meantime. */
export const LATE_MS = 500;

/** Which of the two limits has ended a wait. */
export type Over = "work" | "clock";
