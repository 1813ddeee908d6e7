/**
 * robots.txt by RFC 9309: groups by user agent, the longest matching rule wins, allow wins a tie. This
 * is our own code, because a hostile file keeps npm's robots-parser busy for seconds per URL
 * (docs/adr/0025-what-stays-our-own.md).
 */

type Rule = { allow: boolean; pattern: string };
export type Robots = { rules: readonly Rule[] };

/** RFC 9309 requires at least 500 kibibytes. */
export const MAX_ROBOTS_BYTES = 512_000;
const MAX_RULES = 5_000;

export const allowAll: Robots = { rules: [] };
export const disallowAll: Robots = { rules: [{ allow: false, pattern: "/" }] };

/** @param product the crawler's product token, such as `site-validator`; without a group for it the `*` group applies */
export function parseRobots(text: string, product: string): Robots {
  const own: Rule[] = [];
  const others: Rule[] = [];
  let named = false;
  let agents: string[] = [];
  let inRules = false;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [, key = "", value = ""] = /^\s*([a-z-]+)\s*:\s*([^#]*)/i.exec(line) ?? [];
    switch (key.toLowerCase()) {
      case "user-agent":
        if (inRules) agents = [];
        inRules = false;
        agents.push(value.trim().toLowerCase());
        named ||= value.trim().toLowerCase() === product;
        break;
      case "allow":
      case "disallow": {
        inRules = true;
        const pattern = value.trim();
        // An empty Disallow disallows nothing.
        if (pattern === "") break;
        const rule = { allow: key.toLowerCase() === "allow", pattern };
        if (agents.includes(product)) own.push(rule);
        if (agents.includes("*")) others.push(rule);
      }
    }
  }
  return { rules: (named ? own : others).slice(0, MAX_RULES) };
}

/** True when the rules allow a visit to the URL. */
export function isAllowedByRobots(robots: Robots, url: string): boolean {
  if (robots.rules.length === 0) return true;
  const { pathname, search } = new URL(url);
  const path = decodeUnreserved(pathname + search);
  let longest = -1;
  let allowed = true;
  for (const { allow, pattern } of robots.rules) {
    if (pattern.length < longest || !matches(decodeUnreserved(pattern), path)) continue;
    allowed = pattern.length === longest ? allowed || allow : allow;
    longest = pattern.length;
  }
  return allowed;
}

/** `*` matches any characters, and `$` at the end of the pattern the end of the path. Taking the leftmost match of each part is enough, because the pattern is a prefix. */
function matches(pattern: string, path: string): boolean {
  const anchored = pattern.endsWith("$");
  const parts = (anchored ? pattern.slice(0, -1) : pattern).split("*");
  const [first = "", ...rest] = parts;
  if (!path.startsWith(first)) return false;
  let at = first.length;
  const last = anchored ? rest.pop() : undefined;
  for (const part of rest) {
    const found = path.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  if (!anchored) return true;
  return last === undefined ? path.length === at : path.length - last.length >= at && path.endsWith(last);
}

/** Decodes escapes of unreserved characters: `%7E` equals `~`. An escaped reserved character differs from the plain one. */
function decodeUnreserved(text: string): string {
  if (!text.includes("%")) return text;
  return text.replace(/%[0-9a-f]{2}/gi, (triplet) => {
    const character = String.fromCharCode(Number.parseInt(triplet.slice(1), 16));
    return /[a-z0-9._~-]/i.test(character) ? character : triplet.toUpperCase();
  });
}
