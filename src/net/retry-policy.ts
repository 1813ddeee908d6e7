import { setTimeout as sleep } from "node:timers/promises";
import { retryAfterMs } from "./retry-after.ts";

/** When a site asks for a longer wait, the request is not retried and its response counts. */
const MAX_WAIT_MS = 60_000;
/** Limits all waits together, so that a site cannot delay a report for days. */
const MAX_TOTAL_WAIT_MS = 600_000;
const MAX_RETRIES = 2;

type Clock = { now: () => number; sleep: (ms: number, signal: AbortSignal) => Promise<void> };

const clock: Clock = { now: Date.now, sleep: (ms, signal) => sleep(ms, undefined, { signal }) };

type BeforeRequest = (url: string) => Promise<void>;

/** Retries after a 429 or 503 with Retry-After. All requests that share a policy wait together. */
export type RetryPolicy = {
  /**
   * Waits until the site accepts requests again.
   *
   * @throws the signal's reason when it ends the wait
   */
  wait(signal: AbortSignal): Promise<void>;
  /** What to call before each request of a fetch: it waits as `wait` does, then for what the fetch itself waits for. */
  beforeRequest(fetch: { signal: AbortSignal; beforeRequest: BeforeRequest }): BeforeRequest;
  /** Whether to retry the request after `wait`. `tries`: how many requests came before this one. */
  shouldRetry(response: { status: number; retryAfter?: string | undefined }, tries: number): boolean;
};

export function createRetryPolicy({ now, sleep: pause }: Clock = clock): RetryPolicy {
  let pausedUntil = 0;
  let left = MAX_TOTAL_WAIT_MS;

  /** Adds the wait, or returns false when it exceeds a limit. */
  function acceptWait(asked: number | undefined): boolean {
    if (asked === undefined || asked > MAX_WAIT_MS) return false;
    const until = now() + asked;
    // Parallel visits get the same wait. It counts once.
    const more = Math.max(0, until - Math.max(pausedUntil, now()));
    if (more > left) return false;
    left -= more;
    pausedUntil = Math.max(pausedUntil, until);
    return true;
  }

  const wait = async (signal: AbortSignal): Promise<void> => {
    for (let ms = pausedUntil - now(); ms > 0; ms = pausedUntil - now()) await pause(ms, signal);
  };

  return {
    wait,
    beforeRequest:
      ({ signal, beforeRequest }) =>
      async (url) => {
        await wait(signal);
        await beforeRequest(url);
      },
    shouldRetry({ status, retryAfter }, tries) {
      const busy = status === 429 || status === 503;
      return busy && tries < MAX_RETRIES && acceptWait(retryAfterMs(retryAfter, now()));
    },
  };
}
