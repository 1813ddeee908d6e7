import { belongsTo, requestHeaders, type SiteCredentials } from "../domain/site/site-credentials.ts";
import type { GuardedFetch } from "./guarded-fetch.ts";

/** Sends stored credentials to their own host only. A redirect to another origin drops them. */
export function withCredentials(http: GuardedFetch, credentials: SiteCredentials | undefined): GuardedFetch {
  if (!credentials) return http;
  const secretHeaders = requestHeaders(credentials);
  return {
    get: (url, options) => http.get(url, belongsTo(credentials, url) ? { ...options, secretHeaders } : options),
    close: () => http.close(),
  };
}
