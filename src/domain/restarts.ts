import { backoffDelay } from "./backoff.ts";

/** A server that ran for this long, in milliseconds, had a good start: its end is not a failure of that start. */
export const HEALTHY_MS = 60_000;
/** With the pauses between them, this many failed starts take one to two minutes. */
export const MAX_FAILED_STARTS = 10;
const backoff = { baseMs: 200, maxMs: 30_000 };

/** A server that has ended, or could not be started. */
export type EndedServer = {
  /** Starts in a row that failed, or that led to a server that soon ended. 0: it had run for long. */
  failures: number;
  /** `never`: an error of the user's, which no retry changes. `unknown`: of the server. `later`: the machine lacks something, such as room. */
  passes: "never" | "unknown" | "later";
};

/**
 * When to start a server again, as an operator would. What a machine lacks comes back some day, so that is waited for
 * without end.
 *
 * @param random from 0 to 1
 * @returns milliseconds; undefined: not again
 */
export function restartDelay({ failures, passes }: EndedServer, random: number): number | undefined {
  if (passes === "never" || (passes === "unknown" && failures >= MAX_FAILED_STARTS)) return undefined;
  return backoffDelay(failures, random, backoff);
}
