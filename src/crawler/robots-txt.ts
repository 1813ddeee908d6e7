import { type Failure, PageError } from "../domain/failure.ts";
import { allowAll, disallowAll, MAX_ROBOTS_BYTES, parseRobots, type Robots } from "../domain/scope/robots.ts";
import type { GuardedFetch } from "../net/guarded-fetch.ts";

type RobotsOptions = {
  signal: AbortSignal;
  awaitSlot: () => Promise<void>;
  /** The crawler's product token, which robots.txt may name as a user agent. */
  product: string;
};

/** The rules of an origin. `failure` says why its robots.txt could not be read, which disallows everything. */
export type OriginRobots = Robots & { failure?: Failure };

/** A robots.txt may be large, and a site may have any number of hosts. */
const MAX_ORIGINS = 100;

/**
 * Reads each origin's robots.txt once, and again if it is not among the latest ones. The first one, the start's, is always kept. By RFC 9309 a missing one (4xx) allows everything, and
 * one that is unreachable (5xx, no response) allows nothing. A 429 says that the server is busy, not that there is none.
 * Of a large one, the first part counts.
 *
 * @param http with retries: a whole report depends on each answer
 */
export function createRobotsReader(
  http: GuardedFetch,
  options: RobotsOptions,
): (origin: string) => Promise<OriginRobots> {
  const read = new Map<string, Promise<OriginRobots>>();
  let first: string | undefined;
  return (origin) => {
    first ??= origin;
    const known = read.get(origin) ?? readRobots(http, origin, options);
    // Behind the first one, the one that was asked for longest ago comes first.
    if (origin !== first) read.delete(origin);
    read.set(origin, known);
    const [, oldest = origin] = read.keys();
    if (read.size > MAX_ORIGINS) read.delete(oldest);
    return known;
  };
}

async function readRobots(
  http: GuardedFetch,
  origin: string,
  { signal, awaitSlot, product }: RobotsOptions,
): Promise<OriginRobots> {
  const url = `${origin}/robots.txt`;
  try {
    const { status, body } = await http.get(url, {
      signal,
      beforeRequest: awaitSlot,
      maxBytes: (head) => (head.status < 300 ? MAX_ROBOTS_BYTES + 1 : 0),
      tooLarge: "cut",
    });
    if (status === 429 || status >= 500)
      return { ...disallowAll, failure: { code: "http_error", detail: `${url} responded with ${status}.` } };
    if (status >= 300 || !body) return allowAll;
    return parseRobots(wholeLines(body), product);
  } catch (error) {
    if (!(error instanceof PageError)) throw error;
    if (error.code === "too_large" || error.code === "too_many_redirects") return allowAll;
    return { ...disallowAll, failure: error.failure };
  }
}

/** The text up to the limit. The beginning of a line that is cut would disallow more than the whole line. */
function wholeLines(body: Buffer): string {
  const text = body.toString("utf8", 0, MAX_ROBOTS_BYTES);
  if (body.length <= MAX_ROBOTS_BYTES) return text;
  // A regular expression for the last line would begin again at every character of a long line.
  return text.slice(0, Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1);
}
