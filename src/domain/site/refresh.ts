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
