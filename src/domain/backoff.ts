/** Limits of the pauses between retries, in milliseconds. */
export type Backoff = {
  /** The pause after the first failure. */
  baseMs: number;
  /** The longest pause. */
  maxMs: number;
};

/** For operations that are retried as long as the program runs. */
export const defaultBackoff: Backoff = { baseMs: 100, maxMs: 30_000 };

/**
 * The pause before the next try: `baseMs`, doubled with each failure up to `maxMs`. Half of it is random,
 * so that programs that failed at the same time do not all retry at the same time.
 *
 * @param failures number of earlier failures in a row; 0 after the first failure
 * @param random from 0 to 1
 * @returns milliseconds
 */
export function backoffDelay(failures: number, random: number, { baseMs, maxMs } = defaultBackoff): number {
  const full = Math.min(maxMs, baseMs * 2 ** failures);
  return full / 2 + (full / 2) * random;
}
