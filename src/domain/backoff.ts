/** How the pauses between tries grow, in milliseconds. */
export type Backoff = {
  /** The pause after the first failure. */
  baseMs: number;
  /** No pause is longer. */
  maxMs: number;
};

/** For what is tried for as long as the program runs. */
export const defaultBackoff: Backoff = { baseMs: 100, maxMs: 30_000 };

/**
 * The pause before the next try: `baseMs`, doubled with each failure. The upper half of
 * it is random, so that programs that failed together do not come back together.
 *
 * @param failures failures in a row before the one that the pause follows; 0 for the first
 * @param random from 0 to 1
 * @returns milliseconds
 */
export function backoffDelay(failures: number, random: number, { baseMs, maxMs } = defaultBackoff): number {
  const full = Math.min(maxMs, baseMs * 2 ** failures);
  return full / 2 + (full / 2) * random;
}
