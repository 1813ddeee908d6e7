import type { GuardedFetch } from "./guarded-fetch.ts";
import type { RetryPolicy } from "./retry-policy.ts";

/**
 * Sends a request again when the site is busy and says when to, and sends none while the site asks to wait. What a whole
 * report depends on is requested with it, as pages are.
 */
export function withRetries(http: GuardedFetch, retryPolicy: RetryPolicy): GuardedFetch {
  return {
    async get(url, options) {
      const beforeRequest = retryPolicy.beforeRequest(options);
      for (let tries = 0; ; tries += 1) {
        const response = await http.get(url, { ...options, beforeRequest });
        const retryAfter = [response.headers["retry-after"]].flat()[0];
        if (!retryPolicy.shouldRetry({ status: response.status, retryAfter }, tries)) return response;
      }
    },
    close: () => http.close(),
  };
}
