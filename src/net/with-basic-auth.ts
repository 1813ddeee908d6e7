import { authorization, type BasicAuth, belongsTo } from "../domain/basic-auth.ts";
import type { GuardedFetch } from "./guarded-fetch.ts";

/** Sends stored credentials to their own host only. A redirect to another origin drops them. */
export function withBasicAuth(http: GuardedFetch, auth: BasicAuth | undefined): GuardedFetch {
  if (!auth) return http;
  const header = authorization(auth);
  return {
    get: (url, options) => http.get(url, belongsTo(auth, url) ? { ...options, authorization: header } : options),
    close: () => http.close(),
  };
}
