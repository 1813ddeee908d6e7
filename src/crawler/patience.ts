import { setTimeout as sleep } from "node:timers/promises";
import { retryAfterMs } from "../domain/retry-after.ts";
import type { PageFetcher } from "./page-fetcher.ts";

/** Longer waits are not worth it: the answer counts as it is. */
const MOST_WAIT_MS = 60_000;
/** A site that always asks to wait must not hold a report up for days. */
const MOST_WAITS_MS = 600_000;
const MOST_RETRIES = 2;

type Clock = { now: () => number; sleep: (ms: number, signal: AbortSignal) => Promise<void> };

const clock: Clock = { now: Date.now, sleep: (ms, signal) => sleep(ms, undefined, { signal }) };

/**
 * Does as a site asks that answers 429 or 503 with Retry-After: nothing is requested from
 * it until then, and the page is asked for again, once or twice.
 *
 * @returns makes fetchers patient; all of one crawl wait together
 */
export function createPatience({ now, sleep: wait }: Clock = clock): (fetcher: PageFetcher) => PageFetcher {
  let quietUntil = 0;
  let left = MOST_WAITS_MS;

  /** False when it is not worth waiting for. */
  function agree(asked: number | undefined): boolean {
    if (asked === undefined || asked > MOST_WAIT_MS) return false;
    const until = now() + asked;
    // Visits side by side are asked to wait at once: time counts once.
    const more = Math.max(0, until - Math.max(quietUntil, now()));
    if (more > left) return false;
    left -= more;
    quietUntil = Math.max(quietUntil, until);
    return true;
  }

  return (fetcher) => ({
    async fetch(url, options) {
      const beforeRequest = async (next: string) => {
        for (let ms = quietUntil - now(); ms > 0; ms = quietUntil - now()) await wait(ms, options.signal);
        await options.beforeRequest(next);
      };
      for (let tries = 0; ; tries += 1) {
        const page = await fetcher.fetch(url, { ...options, beforeRequest });
        const busy = page.status === 429 || page.status === 503;
        if (!busy || tries === MOST_RETRIES || !agree(retryAfterMs(page.retryAfter, now()))) return page;
      }
    },
    close: () => fetcher.close(),
  });
}
