import { asciiLowerCase, type Check, quote, spaceSeparated } from "./text.ts";

/** The link types of https://html.spec.whatwg.org/multipage/links.html#linkTypes that are long enough to be mistyped. */
const KNOWN = (
  "alternate author bookmark canonical dns-prefetch expect external license manifest modulepreload nofollow noopener noreferrer " +
  "opener pingback preconnect prefetch preload privacy-policy search stylesheet terms-of-service"
).split(" ");
const REGISTERED = new Set([...KNOWN, "openid", "bookmarks", "licence", "alternates", "prefetched"]);

/** Link types must be unique; their names are free: https://html.spec.whatwg.org/multipage/links.html#linkTypes */
export const linkTypesProblem: Check = (value) => {
  const seen = new Set<string>();
  for (const token of spaceSeparated(value)) {
    const keyword = asciiLowerCase(token);
    if (seen.has(keyword)) return `${quote(token)} occurs twice`;
    seen.add(keyword);
  }
  return undefined;
};

/** A link type that differs by one letter from one of the Standard does nothing. */
export const linkTypesWarning: Check = (value) => {
  for (const token of spaceSeparated(asciiLowerCase(value))) {
    if (REGISTERED.has(token)) continue;
    const meant = KNOWN.find((known) => differsByOne(token, known));
    if (meant) return `${quote(token)} may be mistyped for "${meant}"`;
  }
  return undefined;
};

/** True if one character is added, missing or different. */
function differsByOne(text: string, known: string): boolean {
  if (Math.abs(text.length - known.length) > 1 || text === known) return false;
  let start = 0;
  while (start < text.length && text[start] === known[start]) start++;
  const shorter = Math.min(text.length, known.length);
  let end = 0;
  while (end < shorter - start && text[text.length - 1 - end] === known[known.length - 1 - end]) end++;
  return Math.max(text.length, known.length) - start - end === 1;
}
