import type { GuardedFetch } from "./guarded-fetch.ts";
import { header } from "./request.ts";
import type { RetryPolicy } from "./retry-policy.ts";

/**
 * Sends a request again when the site is busy and says when to, and sends none while the site asks to wait. What a whole
 * report depends on is requested with it, as pages are.
 */
export function withRetries(http: GuardedFetch, retryPolicy: RetryPolicy): GuardedFetch {
  return {
    get: (url, options) =>
      retryPolicy.retry(options, async (given) => {
        const response = await http.get(url, given);
        return { ...response, retryAfter: header(response, "retry-after") };
      }),
    close: () => http.close(),
  };
}
