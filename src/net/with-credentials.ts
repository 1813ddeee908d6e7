import { belongsTo, requestHeaders, type SiteCredentials } from "../domain/headers/site-credentials.ts";
import type { GuardedFetch, GuardedResponse } from "./guarded-fetch.ts";

/** Sends stored credentials to their own host only. A redirect to another origin drops them. */
export function withCredentials(http: GuardedFetch, credentials: SiteCredentials | undefined): GuardedFetch {
  if (!credentials) return http;
  const headers = requestHeaders(credentials);
  const { session } = credentials;
  return {
    get: async (url, options) => {
      if (!belongsTo(credentials, url)) return http.get(url, options);
      await session?.ready();
      const secretHeaders = session ? withCookies(headers, session.cookieHeader(url)) : headers;
      const response = await http.get(url, { ...options, secretHeaders });
      if (session && belongsTo(credentials, response.url)) session.receive(response.url, setCookies(response));
      return response;
    },
    close: () => http.close(),
  };
}

/** The session's cookies, and those that are given as a header. */
function withCookies(headers: Record<string, string>, cookies: string | undefined): Record<string, string> {
  const all = [headers.cookie, cookies].filter(Boolean).join("; ");
  return all === "" ? headers : { ...headers, cookie: all };
}

function setCookies({ headers }: GuardedResponse): string[] {
  const given = headers["set-cookie"];
  return given === undefined ? [] : [given].flat();
}
