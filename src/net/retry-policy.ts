import { setTimeout as sleep } from "node:timers/promises";
import { retryAfterMs } from "../domain/retry-after.ts";

/** Longer waits are not worth it: the answer counts as it is. */
const MAX_WAIT_MS = 60_000;
/** A site that always asks to wait must not hold a report up for days. */
const MAX_TOTAL_WAIT_MS = 600_000;
const MAX_RETRIES = 2;

type Clock = { now: () => number; sleep: (ms: number, signal: AbortSignal) => Promise<void> };

const clock: Clock = { now: Date.now, sleep: (ms, signal) => sleep(ms, undefined, { signal }) };

/** Does as a site asks that answers 429 or 503 with Retry-After. All requests of one program wait together. */
export type RetryPolicy = {
  /**
   * Waits as long as the site asked for quiet.
   *
   * @throws the signal's reason when it ends the wait
   */
  quiet(signal: AbortSignal): Promise<void>;
  /** Whether the page is to be asked for again, once it is quiet no longer; `tries` were before this answer's. */
  again(answer: { status: number; retryAfter?: string | undefined }, tries: number): boolean;
};

export function createRetryPolicy({ now, sleep: wait }: Clock = clock): RetryPolicy {
  let quietUntil = 0;
  let left = MAX_TOTAL_WAIT_MS;

  /** False when it is not worth waiting for. */
  function agree(asked: number | undefined): boolean {
    if (asked === undefined || asked > MAX_WAIT_MS) return false;
    const until = now() + asked;
    // Visits side by side are asked to wait at once: time counts once.
    const more = Math.max(0, until - Math.max(quietUntil, now()));
    if (more > left) return false;
    left -= more;
    quietUntil = Math.max(quietUntil, until);
    return true;
  }

  return {
    async quiet(signal) {
      for (let ms = quietUntil - now(); ms > 0; ms = quietUntil - now()) await wait(ms, signal);
    },
    again({ status, retryAfter }, tries) {
      const busy = status === 429 || status === 503;
      return busy && tries < MAX_RETRIES && agree(retryAfterMs(retryAfter, now()));
    },
  };
}
