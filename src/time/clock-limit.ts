/**
 * A limit of work (processor time, on a busy machine) has a limit by the clock beside it, of this many times as much:
 * the wait for a process that hangs, or is not given any time, ends.
 */
export const MAX_CLOCK_FACTOR = 3;

/** Such a limit is counted in steps of this length: a pause of the process uses up one step at most. */
export const STEP_MS = 1_000;
/** If a step takes this much longer, the process was suspended and has not yet read what arrived in the meantime. */
export const LATE_MS = 500;

/** Which of the two limits has ended a wait. */
export type Over = "work" | "clock";
