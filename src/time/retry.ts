import timers from "node:timers/promises";
import { type Backoff, backoffDelay } from "../domain/backoff.ts";

/** Sleeps. Resolves early, without rejecting, when `signal` aborts. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await timers.setTimeout(milliseconds, undefined, { signal }).catch(() => {});
}

/** What is known when a try has failed. */
export type FailedAttempt = {
  /** Tries so far: 1 after the first. */
  failures: number;
  /** Milliseconds since the first try began. */
  elapsedMs: number;
  /** The pause before the next try, in milliseconds. */
  delayMs: number;
};

export type RetryOptions = {
  /** Ends the wait between two tries. It does not interrupt a running try. */
  signal?: AbortSignal;
  /** Whether to try again after this error. It may throw another one, which then ends the tries. */
  shouldRetry: (error: unknown, tried: FailedAttempt) => boolean;
  backoff?: Backoff;
};

/**
 * Repeats an operation until it succeeds, with growing pauses in between.
 *
 * @throws the operation's error when `shouldRetry` returns false, or what `shouldRetry` throws; an AbortError when `signal` ends
 * the wait
 */
export async function retry<T>(
  operation: () => Promise<T>,
  { signal, shouldRetry, backoff }: RetryOptions,
): Promise<T> {
  const started = performance.now();
  for (let failures = 1; ; failures++) {
    try {
      return await operation();
    } catch (error) {
      const delayMs = Math.round(backoffDelay(failures - 1, Math.random(), backoff));
      if (!shouldRetry(error, { failures, elapsedMs: performance.now() - started, delayMs })) throw error;
      await timers.setTimeout(delayMs, undefined, signal ? { signal } : {});
    }
  }
}

export type RepeatOptions = {
  signal: AbortSignal;
  /** Called with each error of `body`. */
  onError: (error: unknown) => void;
  backoff?: Backoff;
  /** A run of at least this many milliseconds does not count as a failure: the pause after it is short. */
  healthyMs: number;
};

/** Restarts `body` whenever it ends, with or without an error, until `signal` aborts. Never rejects. */
export async function repeat(body: () => Promise<void>, options: RepeatOptions): Promise<void> {
  const { signal, onError, backoff, healthyMs } = options;
  for (let failures = 0; !signal.aborted; failures++) {
    const started = performance.now();
    try {
      await body();
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
    if (performance.now() - started >= healthyMs) failures = 0;
    await pause(backoffDelay(failures, Math.random(), backoff), signal);
  }
}
