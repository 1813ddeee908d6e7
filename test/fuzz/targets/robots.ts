import assert from "node:assert/strict";
import { isAllowedByRobots, parseRobots } from "../../../src/domain/scope/robots.ts";
import type { FuzzTarget } from "../target.ts";

/** The first line is the path of a URL, the others are the robots.txt. */
export const robots: FuzzTarget = {
  name: "robots",
  seeds: [
    "/a/b?c\nUser-agent: *\nDisallow: /a\nAllow: /a/b$\n",
    "/x.php?y\nUser-agent: other\nDisallow: /\n\nUser-agent: site-validator\nDisallow: /*.php$\nAllow: /x*?y\n",
    "/caf%c3%a9 {x}\nuser-agent: *\ndisallow: /caf\u00e9 {\nallow: /caf%C3%A9*******\n",
    "/%7Ea\nuser-agent: *\r\ndisallow: /~a # comment\r\n",
  ],
  words: [
    "User-agent: *\n",
    "User-agent: site-validator\n",
    "Allow: /",
    "Disallow: /",
    "*",
    "$",
    "%2F",
    "%7E",
    "#",
    "\n",
  ],
  run(input) {
    const [path = "", ...lines] = input.toString("utf8").split("\n");
    const url = URL.parse(`http://example.com/${path}`)?.href ?? "http://example.com/";
    const { rules } = parsed(lines.join("\n"));
    const { pathname, search } = new URL(url);
    const decoded = unreserved(octets(pathname + search));
    const hits = rules.filter(({ pattern }) => matches(unreserved(pattern), decoded));
    // RFC 9309, section 2.2.2: the most octets win; of equal ones, allow.
    const longest = Math.max(...hits.map(({ pattern }) => pattern.length));
    const best = hits.filter(({ pattern }) => pattern.length === longest);
    const expected = best.length === 0 || best.some(({ allow }) => allow);
    assert.equal(isAllowedByRobots(parseRobots(lines.join("\n"), "site-validator"), url), expected);
  },
};

type Rule = { allow: boolean; pattern: string };

/** Another reading of RFC 9309, section 2.2, without its limits. */
function parsed(text: string): { rules: Rule[] } {
  const groups: { agents: string[]; rules: Rule[] }[] = [];
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [, key, value = ""] = /^\s*(user-agent|allow|disallow)\s*:([^#]*)/i.exec(line) ?? [];
    if (key === undefined) continue;
    const last = groups.at(-1);
    if (/^u/i.test(key)) {
      if (!last || last.rules.length > 0 || last.agents.includes(";"))
        groups.push({ agents: [value.trim().toLowerCase()], rules: [] });
      else last.agents.push(value.trim().toLowerCase());
    } else if (value.trim() !== "") last?.rules.push({ allow: /^a/i.test(key), pattern: octets(value.trim()) });
    // An empty rule is one: it ends the list of agents.
    else last?.agents.push(";");
  }
  const of = (agent: string) => groups.filter(({ agents }) => agents.includes(agent));
  const own = of("site-validator");
  return { rules: (own.length > 0 ? own : of("*")).flatMap(({ rules }) => rules) };
}

/** Follows all places of the pattern that a beginning of the text may have come to: an expression would try them one by one. */
function matches(pattern: string, text: string): boolean {
  const anchored = pattern.endsWith("$");
  const wanted = anchored ? pattern.slice(0, -1) : pattern;
  const withStars = (places: Iterable<number>) => {
    const all = new Set(places);
    // Places that are added are visited, too.
    for (const place of all) if (wanted[place] === "*") all.add(place + 1);
    return all;
  };
  let places = withStars([0]);
  for (const unit of text.split("")) {
    if (!anchored && places.has(wanted.length)) return true;
    const next: number[] = [];
    for (const place of places)
      if (wanted[place] === "*") next.push(place);
      else if (wanted[place] === unit) next.push(place + 1);
    places = withStars(next);
  }
  return places.has(wanted.length);
}

/** Section 2.2.2: octets outside of ASCII, and those that no URL may have, are compared in their escaped form. */
function octets(text: string): string {
  return Array.from(new TextEncoder().encode(text), (octet) => {
    const character = String.fromCharCode(octet);
    const stays = octet > 0x20 && octet < 0x7f && !'"<>\\^`{|}'.includes(character);
    return stays ? character : `%${octet.toString(16).toUpperCase().padStart(2, "0")}`;
  }).join("");
}

function unreserved(text: string): string {
  return text.replace(/%[0-9a-f]{2}/gi, (triplet) => {
    const character = String.fromCharCode(Number.parseInt(triplet.slice(1), 16));
    return /[a-z0-9._~-]/i.test(character) ? character : triplet.toUpperCase();
  });
}
