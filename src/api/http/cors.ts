import type { RequestHandler } from "express";

const METHODS = "GET, HEAD, POST, PATCH, DELETE";
/** The headers of requests that the API reads, besides those that every page may send. */
const REQUEST_HEADERS = [
  ...["Authorization", "Content-Type", "Idempotency-Key", "If-None-Match", "Last-Event-ID", "Prefer", "X-Request-Id"],
].join(", ");
/** The headers of responses that a page's script may read. */
const EXPOSED_HEADERS = [
  ...["Allow", "ETag", "Location", "Preference-Applied", "Retry-After", "WWW-Authenticate", "X-Request-Id"],
  ...["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"],
].join(", ");
const MAX_AGE_SECONDS = "600";

/**
 * Lets pages of these origins call the API from a browser (the Fetch Standard's CORS protocol). Credentials that a
 * browser adds by itself, such as cookies, are never allowed: a page has to send a token. Without origins, no page of
 * another origin can call the API.
 *
 * @param origins as browsers send them (`https://app.example.com`), or `*` for every page
 */
export function cors(origins: readonly string[]): RequestHandler {
  return (request, response, next) => {
    if (origins.length === 0) return next();
    const any = origins.includes("*");
    // A cache must not give one origin the response for another.
    if (!any) response.vary("Origin");
    const origin = request.get("origin");
    if (origin === undefined || !(any || origins.includes(origin))) return next();
    response.set({
      "Access-Control-Allow-Origin": any ? "*" : origin,
      "Access-Control-Expose-Headers": EXPOSED_HEADERS,
    });
    if (request.method !== "OPTIONS" || request.get("access-control-request-method") === undefined) return next();
    response.set({
      "Access-Control-Allow-Methods": METHODS,
      "Access-Control-Allow-Headers": REQUEST_HEADERS,
      "Access-Control-Max-Age": MAX_AGE_SECONDS,
    });
    response.status(204).end();
  };
}
