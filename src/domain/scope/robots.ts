import { MAX_URL_LENGTH } from "../../settings/values.ts";
import { percentEncode } from "../addresses/percent-encode.ts";
import { searchCost } from "./search-cost.ts";

/**
 * robots.txt by RFC 9309: groups by user agent, the longest matching rule wins, allow wins a tie. This
 * is our own code, because a hostile file keeps npm's robots-parser busy for seconds per URL
 * (docs/adr/0081-what-stays-our-own.md).
 */

type Rule = {
  allow: boolean;
  /** Octets of the pattern, with escapes: the longest matching rule wins. */
  length: number;
  /** The texts between the wildcards. */
  parts: readonly string[];
  /** The pattern ends in `$`. */
  anchored: boolean;
};

/** Rules in the order in which they win. */
export type Robots = {
  rules: readonly Rule[];
  /** The URLs of the sitemaps that it names, for every user agent, as written. */
  sitemaps: readonly string[];
  /** How many sitemaps it names. More of them than a limit are not among `sitemaps`. */
  namedSitemaps: number;
  /** The cost of searching a URL for all parts (search-cost.ts). */
  cost: number;
};

/** RFC 9309 requires at least 500 kibibytes. */
export const MAX_ROBOTS_BYTES = 512_000;
const MAX_RULES = 5_000;
const MAX_SITEMAPS = 100;

export const allowAll: Robots = { rules: [], sitemaps: [], namedSitemaps: 0, cost: 0 };
export const disallowAll: Robots = compile([{ allow: false, pattern: "/" }]);

/** @param product the crawler's product token, such as `site-validator`; without a group for it the `*` group applies */
export function parseRobots(text: string, product: string): Robots {
  const own: WrittenRule[] = [];
  const others: WrittenRule[] = [];
  let named = false;
  /** Whom the current group is for. */
  let group = { own: false, others: false };
  let inRules = false;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [, key = "", value = ""] = /^\s*([a-z-]+)\s*:\s*([^#]*)/i.exec(line) ?? [];
    switch (key.toLowerCase()) {
      case "user-agent": {
        if (inRules) group = { own: false, others: false };
        inRules = false;
        const agent = value.trim().toLowerCase();
        group.own ||= agent === product;
        group.others ||= agent === "*";
        named ||= group.own;
        break;
      }
      case "allow":
      case "disallow": {
        inRules = true;
        const pattern = value.trim();
        // An empty Disallow disallows nothing.
        if (pattern === "") break;
        const rule = { allow: key.toLowerCase() === "allow", pattern };
        if (group.own) own.push(rule);
        if (group.others) others.push(rule);
      }
    }
  }
  return { ...compile((named ? own : others).slice(0, MAX_RULES)), ...sitemapsOf(text) };
}

function sitemapsOf(text: string): Pick<Robots, "sitemaps" | "namedSitemaps"> {
  const named = text.matchAll(/^[ \t]*sitemap[ \t]*:([^#\r\n]*)/gim);
  const urls = new Set<string>();
  for (const [, value = ""] of named) {
    if (value.trim() !== "") urls.add(value.trim());
  }
  return { sitemaps: [...urls].slice(0, MAX_SITEMAPS), namedSitemaps: urls.size };
}

type WrittenRule = { allow: boolean; pattern: string };

/** Prepares the rules once, because thousands of links are compared with them. */
function compile(written: readonly WrittenRule[]): Robots {
  const rules = written
    .map(({ allow, pattern }) => compileRule(allow, pattern))
    // A rule with more text than a URL may have matches none.
    .filter(({ parts }) => parts.reduce((sum, part) => sum + part.length, 0) <= MAX_URL_LENGTH)
    .sort((a, b) => b.length - a.length || Number(b.allow) - Number(a.allow));
  return { rules, sitemaps: [], namedSitemaps: 0, cost: rules.reduce((sum, { parts }) => sum + searchCost(parts), 0) };
}

function compileRule(allow: boolean, pattern: string): Rule {
  const encoded = percentEncode(pattern);
  const normal = decodeUnreserved(encoded).replace(/\*+/g, "*");
  const anchored = normal.endsWith("$");
  return { allow, length: encoded.length, parts: (anchored ? normal.slice(0, -1) : normal).split("*"), anchored };
}

/** True when the rules allow a visit to the URL. The time is linear in its length, for each part of each rule. */
export function isAllowedByRobots({ rules }: Robots, url: string): boolean {
  if (rules.length === 0) return true;
  const { pathname, search } = new URL(url);
  const path = decodeUnreserved(percentEncode(pathname + search));
  return rules.find((rule) => matches(rule, path))?.allow ?? true;
}

/** `*` matches any characters, and `$` at the end of the pattern the end of the path. Taking the leftmost match of each part is enough, because the pattern is a prefix. */
function matches({ parts, anchored }: Rule, path: string): boolean {
  const [first = ""] = parts;
  if (!path.startsWith(first)) return false;
  let at = first.length;
  const end = anchored ? parts.length - 1 : parts.length;
  for (let index = 1; index < end; index++) {
    const part = parts[index] ?? "";
    const found = path.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  if (!anchored) return true;
  const last = parts.length > 1 ? (parts.at(-1) ?? "") : undefined;
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
