import { MAX_URL_LENGTH } from "../schema/crawl-target.ts";
import type { ExclusionReason } from "./failure.ts";

/**
 * Which URLs belong to a report. Pure: from an address as found to a normalised URL
 * to visit, or the reason to leave it out.
 */

/** What a report covers. */
export type Scope = {
  /** Host with port, as `URL.host` gives it: `www.` is another host, http and https are the same. */
  host: string;
  /** URLs that contain one of these are left out. */
  exclusions: readonly string[];
};

export type Verdict =
  | { kind: "visit"; url: string }
  | { kind: "skip"; url: string; reason: ExclusionReason }
  /** Not a place on the web at all: mailto, javascript, tel, data, … */
  | { kind: "ignore" };

/** Limits that sites for people keep, and generated mazes do not. */
const MAX_QUERY_PARAMETERS = 30;
const MAX_PATH_SEGMENTS = 50;
const MAX_SEGMENT_REPEATS = 4;

/** Bytes of a URL that is only recorded; an index entry may have 2,700. */
const MAX_RECORDED_BYTES = 2_000;

/** @param found an absolute URL, or whatever stood in its place and could not be resolved */
export function judgeUrl(found: string, scope: Scope): Verdict {
  const url = URL.parse(found);
  if (!url) return { kind: "skip", url: recordable(found), reason: "invalid_url" };
  if (url.protocol !== "http:" && url.protocol !== "https:") return { kind: "ignore" };
  url.hash = "";
  const { href } = url;
  const skip = (reason: ExclusionReason): Verdict => ({ kind: "skip", url: recordable(href), reason });
  if (url.username || url.password) return { ...skip("invalid_url"), url: recordable(withoutUserinfo(url)) } as Verdict;
  if (url.host !== scope.host) return skip("off_site");
  if (matchedExclusion(href, scope)) return skip("exclusion");
  if (isTrap(url)) return skip("trap");
  return { kind: "visit", url: href };
}

/** The first of the exclusions that the URL contains. */
export function matchedExclusion(url: string, scope: Scope): string | undefined {
  return scope.exclusions.find((part) => url.includes(part));
}

/** The form in which URLs are compared and stored: WHATWG's, without the fragment. */
export function normaliseUrl(url: string): string {
  const parsed = new URL(url);
  parsed.hash = "";
  return parsed.href;
}

/** True for what only grows in a maze: very long URLs, deep or repetitive paths, many parameters. */
export function isTrap(url: URL): boolean {
  if (url.href.length > MAX_URL_LENGTH) return true;
  if (count(url.search, "&") >= MAX_QUERY_PARAMETERS) return true;
  // Few slashes, nothing to count: nearly every URL ends here.
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

/** An address as it can be stored and shown: well-formed text, without NUL, cut to what an index holds. */
export function recordable(found: string): string {
  const text = found.slice(0, MAX_RECORDED_BYTES).replaceAll("\0", "\u{fffd}").toWellFormed();
  const bytes = new TextEncoder().encode(text);
  // A character cut in half decodes to U+FFFD, which may be one byte longer than what is left of it. Decoded
  // again even when nothing is cut: a slice would keep all of the document that it was taken from.
  return new TextDecoder().decode(
    bytes.length <= MAX_RECORDED_BYTES ? bytes : bytes.subarray(0, MAX_RECORDED_BYTES - 2),
  );
}

/** Credentials are never shown. */
function withoutUserinfo(url: URL): string {
  const shown = new URL(url);
  shown.username = "";
  shown.password = "";
  return shown.href;
}

function count(text: string, character: string): number {
  let found = 0;
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) found++;
  return found;
}
