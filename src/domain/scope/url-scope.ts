import { MAX_URL_LENGTH } from "../../settings/values.ts";
import type { ActRule } from "../acts/acts.ts";
import { hashRouteOf } from "../addresses/hash-route.ts";
import { percentEncode } from "../addresses/percent-encode.ts";
import { isOfSite } from "../addresses/same-site.ts";
import { withoutFragment } from "../addresses/without-fragment.ts";
import type { ExclusionReason } from "../failure.ts";
import { endsSession } from "../sign-in/sign-in-page.ts";
import { type Glob, matchesGlob, readGlob } from "./glob.ts";

/**
 * Decides which URLs belong to a report: turns a URL as found into a normalised URL to visit, or into
 * the reason to exclude it.
 */

/** The URLs that a report covers. */
export type Scope = {
  /** Host with port, as in `URL.host`. `www.` makes another host; http and https do not differ. */
  host: string;
  /** Further hosts of the site (same-site.ts). */
  sameSite?: readonly string[];
  /** URLs that contain one of these strings are excluded. */
  exclusions: readonly string[];
  /** Globs of the only URLs that are covered; none for all. */
  includeGlobs?: readonly string[];
  /** Globs of URLs that are excluded. */
  excludeGlobs?: readonly string[];
  /** Names of parameters that do not make another document, in lower case; `*` at the end stands for any rest. */
  ignoredParameters?: readonly string[];
  /** Whether views behind a `#` are pages. */
  followHashRoutes?: boolean;
  /** The site is visited with credentials, so what ends their session is not. */
  inSession?: boolean;
  /** What a request for an address does to the site. */
  acts?: ActRule;
};

export type Verdict =
  | { kind: "visit"; url: string }
  | { kind: "skip"; url: string; reason: ExclusionReason }
  /** Another scheme than http and https: mailto, javascript, tel, data, … */
  | { kind: "ignore" };

/** Limits that ordinary sites respect and crawl traps exceed. */
const MAX_QUERY_PARAMETERS = 30;
const MAX_PATH_SEGMENTS = 50;
const MAX_SEGMENT_REPEATS = 4;
/** Among more parameters none is removed. */
const MAX_SEARCHED_PARAMETERS = 100;

/** Bytes of a recorded URL: an index entry of PostgreSQL may have 2,700. */
const MAX_RECORDED_BYTES = 2_000;

/** Judges a URL that may be on any host: the starting URL's redirects, and sitemaps that robots.txt names. */
export function judgeAnywhere(found: string, scope: Scope): Verdict {
  return judgeNamed(found, { ...scope, host: parseUrl(found)?.host ?? scope.host });
}

/** Judges a URL that the user named, or a sitemap: it is visited even if no glob includes it. */
export function judgeNamed(found: string, scope: Scope): Verdict {
  return judgeUrl(found, { ...scope, includeGlobs: [] });
}

/** @param found an absolute URL, or the text of a link that could not be resolved */
export function judgeUrl(found: string, scope: Scope): Verdict {
  if (found.length > MAX_PARSED_LENGTH) return { kind: "skip", url: recordableText(found), reason: "trap" };
  const url = parseUrl(found);
  if (!url) return { kind: "skip", url: recordableText(found), reason: "invalid_url" };
  if (url.protocol !== "http:" && url.protocol !== "https:") return { kind: "ignore" };
  const href = urlInScope(url, scope);
  const skip = (reason: ExclusionReason): Verdict => ({ kind: "skip", url: recordable(href), reason });
  if (url.username || url.password) return { ...skip("invalid_url"), url: recordable(withoutUserinfo(url)) } as Verdict;
  if (!isOfSite(url.host, scope.host, scope)) return skip("off_site");
  if (matchedExclusion(href, scope)) return skip("exclusion");
  // An exclusion may name a parameter that is ignored. Then this spelling is excluded, and not the document.
  if (url.href !== withoutFragment(href) && matchedExclusion(url.href, scope))
    return { kind: "skip", url: recordable(url.href), reason: "exclusion" };
  if (!isIncluded(href, scope)) return skip("not_included");
  if (isTrap(new URL(href))) return skip("trap");
  if ((scope.inSession || scope.acts?.signedIn(href)) && endsSession(href)) return skip("signs_out");
  const act = scope.acts?.leavesOut(href);
  if (act) return skip(act.reason);
  return { kind: "visit", url: href };
}

/** A longer text is not parsed: dot segments may shorten it, but no ordinary link needs that. */
export const MAX_PARSED_LENGTH = 4 * MAX_URL_LENGTH;
/** A host has at most 253 characters (RFC 1035). Normalising a longer one takes time proportional to its square. */
const LONG_HOST = /^\s*(?:(?:https?|wss?|ftp|file):[\\/]*|[\\/]{2,})[^\\/?#]{500}/i;

/** Like `URL.parse`, but null for a text whose parsing takes long. */
export function parseUrl(text: string, base?: string): URL | null {
  if (text.length > MAX_PARSED_LENGTH) return null;
  // The parser ignores tabs and newlines.
  if (text.length >= 500 && LONG_HOST.test(text.replace(/[\t\r\n]/g, ""))) return null;
  return URL.parse(text, base);
}

/**
 * The first exclusion that the URL contains, as written or when both are escaped in the same way, or the first glob that
 * excludes it; undefined without one.
 */
export function matchedExclusion(
  url: string,
  { exclusions, excludeGlobs = [] }: Pick<Scope, "exclusions" | "excludeGlobs">,
): string | undefined {
  if (exclusions.length === 0) return matchedGlob(url, excludeGlobs);
  const escaped = escapedExclusions(exclusions);
  const escapedUrl = toEscaped(url);
  const part = exclusions.find((one, index) => url.includes(one) || escapedUrl.includes(escaped[index] ?? one));
  return part ?? matchedGlob(url, excludeGlobs);
}

/** Whether a URL is covered by the globs, if there are any. @param url in its normal form */
export function isIncluded(url: string, { includeGlobs = [] }: Scope): boolean {
  return includeGlobs.length === 0 || matchedGlob(url, includeGlobs) !== undefined;
}

const readGlobs = new WeakMap<readonly string[], readonly Glob[]>();

/** The first glob that matches a URL, when both are escaped in the same way. @param globs read once for each list */
export function matchedGlob(url: string, globs: readonly string[]): string | undefined {
  if (globs.length === 0) return undefined;
  const read = readGlobs.get(globs) ?? globs.map((text) => readGlob(toEscaped(text)));
  readGlobs.set(globs, read);
  const escaped = toEscaped(url);
  return globs.find((_, index) => read[index] && matchesGlob(read[index], escaped));
}

/** Comparing more exclusions with URLs would take long. */
const MAX_COMPARED = 50_000;

/**
 * The exclusions and globs that match none of these URLs; none where there is too much to compare.
 *
 * @param excluded every URL that one of them left out
 */
export function unusedExclusions(
  { exclusions, excludeGlobs = [] }: Pick<Scope, "exclusions" | "excludeGlobs">,
  excluded: readonly string[],
): string[] {
  let left = [
    ...exclusions.map((text) => ({ text, scope: { exclusions: [text] } })),
    ...excludeGlobs.map((text) => ({ text, scope: { exclusions: [], excludeGlobs: [text] } })),
  ];
  let compared = 0;
  for (const url of excluded) {
    if (left.length === 0) return [];
    compared += left.length;
    if (compared > MAX_COMPARED) return [];
    left = left.filter(({ scope }) => matchedExclusion(url, scope) === undefined);
  }
  return left.map(({ text }) => text);
}

/** What a URL is searched for: the exclusions as written and escaped. */
export function searchedParts(exclusions: readonly string[]): readonly string[] {
  return [...exclusions, ...escapedExclusions(exclusions)];
}

const known = new WeakMap<readonly string[], readonly string[]>();

function escapedExclusions(exclusions: readonly string[]): readonly string[] {
  // Thousands of links are compared with them.
  const escaped = known.get(exclusions) ?? exclusions.map(toEscaped);
  known.set(exclusions, escaped);
  return escaped;
}

/** One form for what may be written in several: the URL parser escapes `{` in a path only, `|` nowhere, and keeps `%c3`. */
function toEscaped(text: string): string {
  return percentEncode(text).replace(ESCAPES, (octet) => preferredEscape(octet));
}

/**
 * The form in which URLs are compared, visited and stored: the WHATWG's serialization without the fragment, in the
 * spelling that RFC 3986 prefers among equivalent ones (6.2.2), and without parameters that do not count.
 */
export function normaliseUrl(url: string, ignoredParameters: readonly string[] = []): string {
  return urlOfDocument(new URL(url), ignoredParameters);
}

/** The form of a URL that stands for all URLs of its page in a report. */
export function pageUrlIn(url: string, scope: Scope): string {
  return urlInScope(new URL(url), scope);
}

function urlInScope(url: URL, { ignoredParameters = [], followHashRoutes = false }: Scope): string {
  const route = followHashRoutes ? hashRouteOf(url.hash) : "";
  return urlOfDocument(url, ignoredParameters) + route;
}

function urlOfDocument(url: URL, ignoredParameters: readonly string[]): string {
  url.hash = "";
  const { href } = url;
  const spelled = href.includes("%") ? preferredSpelling(href) : href;
  // Nearly every URL has no parameters.
  if (ignoredParameters.length === 0 || !/[?;]/.test(spelled)) return spelled;
  return withoutParameters(spelled, ignoredParameters);
}

/**
 * `%7e` is `~`, and `%c3` is `%C3`. What comes after a `%` that escapes nothing is not decoded, because both together could
 * be an escape then.
 */
function preferredSpelling(url: string): string {
  return url.replace(ESCAPES, (octet, at: number) =>
    /%[0-9a-f]?$/i.test(url.slice(Math.max(0, at - 2), at)) ? octet.toUpperCase() : preferredEscape(octet),
  );
}

const ESCAPES = /%[0-9a-f]{2}/gi;

function preferredEscape(octet: string): string {
  const character = String.fromCharCode(Number.parseInt(octet.slice(1), 16));
  return /[a-z0-9._~-]/i.test(character) ? character : octet.toUpperCase();
}

function withoutParameters(url: string, ignored: readonly string[]): string {
  const isKept = (parameter: string): boolean => !isIgnored(parameter.split("=", 1)[0] ?? "", ignored);
  const start = url.indexOf("/", url.indexOf("//") + 2);
  const end = url.indexOf("?", start);
  const [path, query] = end === -1 ? [url.slice(start), undefined] : [url.slice(start, end), url.slice(end + 1)];
  const host = url.slice(0, start);
  const segments = path.includes(";") ? path.split("/").map((segment) => keepFirst(segment, isKept)) : [path];
  const kept = host + segments.join("/");
  if (query === undefined) return kept;
  const parameters = query.split("&");
  // More of them make a trap, which is not visited.
  const others = parameters.length > MAX_SEARCHED_PARAMETERS ? parameters : parameters.filter(isKept);
  return others.length === 0 ? kept : `${kept}?${others.join("&")}`;
}

/** A segment of a path without the parameters after its name that do not count: `list;jsessionid=1`. */
function keepFirst(segment: string, isKept: (parameter: string) => boolean): string {
  const [name = "", ...parameters] = segment.split(";");
  // Alone it would be a step to another folder.
  if (name === "." || name === ".." || parameters.length > MAX_SEARCHED_PARAMETERS) return segment;
  return [name, ...parameters.filter(isKept)].join(";");
}

function isIgnored(written: string, ignored: readonly string[]): boolean {
  const names = [written.toLowerCase(), decoded(written).toLowerCase()];
  return ignored.some((one) =>
    names.some((name) => (one.endsWith("*") ? name.startsWith(one.slice(0, -1)) : name === one)),
  );
}

/** A name as people write it. Escapes of another encoding than UTF-8 stay. */
function decoded(name: string): string {
  if (!name.includes("%")) return name;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** True for URLs that are typical of crawl traps: very long ones, deep or repetitive paths, many parameters. */
export function isTrap(url: URL): boolean {
  if (url.href.length > MAX_URL_LENGTH) return true;
  if (count(url.search, "&") >= MAX_QUERY_PARAMETERS) return true;
  // With few slashes no segment can repeat too often. This covers nearly every URL.
  const slashes = count(url.pathname, "/");
  if (slashes > MAX_PATH_SEGMENTS) return true;
  if (slashes <= MAX_SEGMENT_REPEATS) return false;
  const repeats = new Map<string, number>();
  for (const segment of url.pathname.split("/")) {
    if (segment === "") continue;
    const seen = (repeats.get(segment) ?? 0) + 1;
    if (seen > MAX_SEGMENT_REPEATS) return true;
    repeats.set(segment, seen);
  }
  return false;
}

/** A text that PostgreSQL can store and index: well-formed, without NUL, and cut to the maximum length. */
export function recordable(found: string): string {
  const text = found.slice(0, MAX_RECORDED_BYTES).replaceAll("\0", "\u{fffd}").toWellFormed();
  const bytes = new TextEncoder().encode(text);
  // A character cut in half decodes to U+FFFD, which may be one byte longer than the rest of the character.
  // The text is decoded even when nothing is cut, because a slice would keep its whole document in memory.
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(
    bytes.length <= MAX_RECORDED_BYTES ? bytes : bytes.subarray(0, MAX_RECORDED_BYTES - 2),
  );
}

/**
 * A recordable text about URLs, such as a message, without their user names and passwords. They go before it is cut:
 * a URL that is cut within them would show a part.
 */
export function recordableText(text: string): string {
  // As much as is parsed, so that a hostile text cannot make the search long.
  const searched = text.slice(0, MAX_PARSED_LENGTH);
  return recordable(searched.replace(searched.length < text.length ? CUT_USERINFO : USERINFO, "$1"));
}

const USERINFO = /(https?:[\\/]*)[^\\/?#]*@/gi;
const CUT_USERINFO = /(https?:[\\/]*)[^\\/?#]*(?:@|$)/gi;

/** Removes credentials, which are never bare. */
function withoutUserinfo(url: URL): string {
  const bare = new URL(url);
  bare.username = "";
  bare.password = "";
  return bare.href;
}

function count(text: string, character: string): number {
  let found = 0;
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) found++;
  return found;
}
