import type { HostBreaker } from "../net/host-breaker.ts";
import type { RetryPolicy } from "../net/retry-policy.ts";
import type { PageFetcher } from "./page-fetcher.ts";

/**
 * A fetcher that retries when a site is busy, sends no request while the site asks to wait, and gives up on a host
 * that does not respond.
 */
export function retryingFetcher(retryPolicy: RetryPolicy, breaker: HostBreaker, fetcher: PageFetcher): PageFetcher {
  const fetchInTime: PageFetcher["fetch"] = async (url, options) => {
    const beforeRequest = retryPolicy.beforeRequest(options);
    for (let tries = 0; ; tries += 1) {
      const page = await fetcher.fetch(url, { ...options, beforeRequest });
      if (!retryPolicy.shouldRetry(page, tries)) return page;
    }
  };
  return {
    fetch: (url, options) => breaker.run(url, () => fetchInTime(url, options)),
    close: () => fetcher.close(),
  };
}
