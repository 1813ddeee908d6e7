import { setTimeout as sleep } from "node:timers/promises";

/** When a site asks for a longer wait, the request is not retried and its response counts. */
const MAX_WAIT_MS = 60_000;
/** Limits all waits together, so that a site cannot delay a report for days. */
const MAX_TOTAL_WAIT_MS = 600_000;
const MAX_RETRIES = 2;

type Clock = { now: () => number; sleep: (ms: number, signal: AbortSignal) => Promise<void> };

const clock: Clock = { now: Date.now, sleep: (ms, signal) => sleep(ms, undefined, { signal }) };

type Answer = { status: number; retryAfter?: string | undefined };
type Given = { signal: AbortSignal; beforeRequest: (url: string) => Promise<void> };

/** Retries after a 429 or 503 with Retry-After. All requests that share a policy wait together. */
export type RetryPolicy = {
  /**
   * Waits until the site accepts requests again.
   *
   * @throws the signal's reason when it ends the wait
   */
  wait(signal: AbortSignal): Promise<void>;
  /**
   * Fetches, and again as `shouldRetry` says. Before each request, redirects included, it waits as `wait` does, and then
   * for what the fetch itself waits for.
   */
  retry<G extends Given, A extends Answer>(given: G, fetch: (given: G) => Promise<A>): Promise<A>;
  /** Whether to retry the request after `wait`. `tries`: how many requests came before this one. */
  shouldRetry(response: Answer, tries: number): boolean;
};

/** @param budget for all waits; policies may share one */
export function createRetryPolicy(
  { now, sleep: pause }: Clock = clock,
  budget = { leftMs: MAX_TOTAL_WAIT_MS },
): RetryPolicy {
  let pausedUntil = 0;

  /** Adds the wait, or returns false when it exceeds a limit. */
  function acceptWait(asked: number | undefined): boolean {
    if (asked === undefined || asked > MAX_WAIT_MS) return false;
    const until = now() + asked;
    // Parallel visits get the same wait. It counts once.
    const more = Math.max(0, until - Math.max(pausedUntil, now()));
    if (more > budget.leftMs) return false;
    budget.leftMs -= more;
    pausedUntil = Math.max(pausedUntil, until);
    return true;
  }

  const wait = async (signal: AbortSignal): Promise<void> => {
    for (let ms = pausedUntil - now(); ms > 0; ms = pausedUntil - now()) await pause(ms, signal);
  };

  const shouldRetry = ({ status, retryAfter }: Answer, tries: number): boolean => {
    const busy = status === 429 || status === 503;
    return busy && tries < MAX_RETRIES && acceptWait(retryAfterMs(retryAfter, now()));
  };

  return {
    wait,
    async retry(given, fetch) {
      const beforeRequest = async (url: string): Promise<void> => {
        await wait(given.signal);
        await given.beforeRequest(url);
      };
      for (let tries = 0; ; tries += 1) {
        const answer = await fetch({ ...given, beforeRequest });
        if (!shouldRetry(answer, tries)) return answer;
      }
    },
    shouldRetry,
  };
}

/**
 * The wait that a Retry-After header (whole seconds or a date) requests, in milliseconds (RFC 9110, 10.2.3);
 * undefined when the header is missing or neither. `now` is in milliseconds since 1970.
 */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  // An HTTP date starts with the name of a day. Date.parse alone accepts many other formats.
  const time = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}
