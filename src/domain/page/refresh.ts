/** A refresh of up to this many seconds is a redirect; after more, a reader has read the page. */
export const MAX_REDIRECT_SECONDS = 5;

/**
 * Where a `<meta http-equiv=refresh>` or a Refresh header leads, and when. @see HTML Standard, shared declarative
 * refresh steps
 *
 * @param text the value, such as `0; url=/new`
 * @returns `target` as written: "" for the page itself; undefined for a value that browsers ignore
 */
export function parseRefresh(text: string): { seconds: number; target: string } | undefined {
  const [start, digits] = /^[\t\n\f\r ]*(?:(\d+)|(?=\.))[\d.]*/.exec(text) ?? [];
  if (start === undefined) return undefined;
  const rest = text.slice(start.length);
  if (rest !== "" && !/^[;,\t\n\f\r ]/.test(rest)) return undefined;
  const written = rest.replace(/^[\t\n\f\r ]*[;,]?[\t\n\f\r ]*/, "");
  return { seconds: Number(digits ?? 0), target: targetOf(written) };
}

function targetOf(written: string): string {
  const [prefix] = /^url[\t\n\f\r ]*=[\t\n\f\r ]*/i.exec(written) ?? [""];
  // Quotes count only after the whole of `url=`, or without any of it.
  if (prefix === "" && /^u/i.test(written)) return written;
  const value = written.slice(prefix.length);
  const [quote = ""] = value;
  if (quote !== '"' && quote !== "'") return value;
  const end = value.indexOf(quote, 1);
  return value.slice(1, end === -1 ? undefined : end);
}

/**
 * When a refresh leads to another page, and to which; undefined for one that does not, or only after a reader has read the page.
 *
 * @param refresh as in `content` of a meta element, or in a Refresh header
 * @param url the page's own URL: a page that only loads itself again stays what it is
 * @param resolve the target as the document reads it, null for what is no URL
 */
export function redirectOf(
  refresh: string,
  url: string,
  resolve: (target: string) => URL | null,
): { seconds: number; url: string } | undefined {
  const parsed = parseRefresh(refresh);
  if (!parsed || parsed.seconds > MAX_REDIRECT_SECONDS || parsed.target === "") return undefined;
  const target = resolve(parsed.target);
  if (target?.protocol !== "http:" && target?.protocol !== "https:") return undefined;
  target.hash = "";
  const own = new URL(url);
  own.hash = "";
  return target.href === own.href ? undefined : { seconds: parsed.seconds, url: target.href };
}
