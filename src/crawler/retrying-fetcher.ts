import type { RetryPolicy } from "../net/retry-policy.ts";
import type { PageFetcher } from "./page-fetcher.ts";

/** A fetcher that retries when a site is busy, and sends no request while the site asks to wait. */
export function retryingFetcher(retryPolicy: RetryPolicy, fetcher: PageFetcher): PageFetcher {
  return {
    async fetch(url, options) {
      const beforeRequest = async (next: string) => {
        await retryPolicy.wait(options.signal);
        await options.beforeRequest(next);
      };
      for (let tries = 0; ; tries += 1) {
        const page = await fetcher.fetch(url, { ...options, beforeRequest });
        if (!retryPolicy.shouldRetry(page, tries)) return page;
      }
    },
    close: () => fetcher.close(),
  };
}
