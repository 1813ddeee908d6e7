import { PageError } from "../domain/failure.ts";
import { allowAll, disallowAll, MAX_ROBOTS_BYTES, parseRobots, type Robots } from "../domain/site/robots.ts";
import type { GuardedFetch } from "../net/guarded-fetch.ts";

type RobotsOptions = {
  signal: AbortSignal;
  awaitSlot: () => Promise<void>;
  /** The crawler's product token, which robots.txt may name as a user agent. */
  product: string;
};

/**
 * Reads each origin's robots.txt once. By RFC 9309 a missing one (4xx) allows everything, and
 * one that is unreachable (5xx, no response) allows nothing.
 */
export function createRobotsReader(http: GuardedFetch, options: RobotsOptions): (origin: string) => Promise<Robots> {
  const read = new Map<string, Promise<Robots>>();
  return (origin) => {
    const known = read.get(origin) ?? readRobots(http, origin, options);
    read.set(origin, known);
    return known;
  };
}

async function readRobots(
  http: GuardedFetch,
  origin: string,
  { signal, awaitSlot, product }: RobotsOptions,
): Promise<Robots> {
  try {
    const { status, body } = await http.get(`${origin}/robots.txt`, {
      signal,
      beforeRequest: awaitSlot,
      maxBytes: (head) => (head.status < 300 ? 2 * MAX_ROBOTS_BYTES : 0),
    });
    if (status >= 500) return disallowAll;
    if (status >= 300 || !body) return allowAll;
    return parseRobots(body.toString("utf8", 0, MAX_ROBOTS_BYTES), product);
  } catch (error) {
    if (!(error instanceof PageError)) throw error;
    return error.code === "too_large" || error.code === "too_many_redirects" ? allowAll : disallowAll;
  }
}
