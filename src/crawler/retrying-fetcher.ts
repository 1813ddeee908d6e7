import type { HostBreaker } from "../net/host-breaker.ts";
import type { RetryPolicy } from "../net/retry-policy.ts";
import type { PageFetcher } from "./page-fetcher.ts";

/**
 * A fetcher that retries when a site is busy, sends no request while the site asks to wait, and gives up on a host
 * that does not respond.
 */
export function retryingFetcher(retryPolicy: RetryPolicy, breaker: HostBreaker, fetcher: PageFetcher): PageFetcher {
  return {
    fetch: (url, options) => breaker.run(url, () => retryPolicy.retry(options, (given) => fetcher.fetch(url, given))),
    close: () => fetcher.close(),
  };
}
