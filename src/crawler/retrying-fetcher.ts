import type { HostBreaker } from "../net/host-breaker.ts";
import type { RetryPolicy } from "../net/retry-policy.ts";
import type { PageFetcher } from "./page-fetcher.ts";

type Options = { signal: AbortSignal; beforeRequest: (url: string) => Promise<void> };
type Answer = { status: number; retryAfter?: string | undefined };

/**
 * Requests a URL again when its site is busy, sends no request while the site asks to wait, and gives up on a host
 * that does not respond. Everything whose response decides about a report is requested through it: pages, lists,
 * robots.txt.
 */
export type Retrying = <Response extends Answer, Given extends Options>(
  url: string,
  options: Given,
  request: (options: Given) => Promise<Response>,
) => Promise<Response>;

export function retrying(retryPolicy: RetryPolicy, breaker: HostBreaker): Retrying {
  return (url, options, request) => {
    const beforeRequest = async (next: string) => {
      await retryPolicy.wait(options.signal);
      await options.beforeRequest(next);
    };
    return breaker.run(url, async () => {
      for (let tries = 0; ; tries += 1) {
        const response = await request({ ...options, beforeRequest });
        if (!retryPolicy.shouldRetry(response, tries)) return response;
      }
    });
  };
}

/** A fetcher whose requests are retried. */
export function retryingFetcher(retry: Retrying, fetcher: PageFetcher): PageFetcher {
  return {
    fetch: (url, options) => retry(url, options, (given) => fetcher.fetch(url, given)),
    close: () => fetcher.close(),
  };
}
