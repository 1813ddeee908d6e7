import type { RetryPolicy } from "../net/retry-policy.ts";
import type { PageFetcher } from "./page-fetcher.ts";

/** A fetcher that asks again when a site is busy, and asks nothing while the site wants quiet. */
export function retryingFetcher(retryPolicy: RetryPolicy, fetcher: PageFetcher): PageFetcher {
  return {
    async fetch(url, options) {
      const beforeRequest = async (next: string) => {
        await retryPolicy.quiet(options.signal);
        await options.beforeRequest(next);
      };
      for (let tries = 0; ; tries += 1) {
        const page = await fetcher.fetch(url, { ...options, beforeRequest });
        if (!retryPolicy.again(page, tries)) return page;
      }
    },
    close: () => fetcher.close(),
  };
}
