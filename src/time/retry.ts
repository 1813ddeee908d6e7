import { setTimeout as sleep } from "node:timers/promises";
import { type Backoff, backoffDelay } from "../domain/backoff.ts";

/** Sleeps. Resolves early, without rejecting, when `signal` aborts. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => {});
}

export type RetryOptions = {
  /** Ends the wait between two tries. It does not interrupt a running try. */
  signal?: AbortSignal;
  /** Whether to try again after this error. */
  again: (error: unknown) => boolean;
  backoff?: Backoff;
};

/**
 * Repeats an operation until it succeeds, with growing pauses in between.
 *
 * @throws the operation's error when `again` returns false; an AbortError when `signal` ends the wait
 */
export async function retry<T>(operation: () => Promise<T>, { signal, again, backoff }: RetryOptions): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await operation();
    } catch (error) {
      if (!again(error)) throw error;
      await sleep(backoffDelay(failures, Math.random(), backoff), undefined, signal ? { signal } : {});
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
