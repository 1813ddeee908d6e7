/**
 * A limit of work (processor time, on a busy machine) has a limit by the clock beside it, of this many times as much:
 * the wait for a process that hangs, or is not given any time, ends.
 */
export const MAX_CLOCK_FACTOR = 3;

/** Which of the two limits has ended a wait. */
export type Over = "work" | "clock";
