import { bare } from "../addresses/same-site.ts";
import type { ViewsRow } from "./read-file.ts";

/** How often pages were viewed, by their addresses, and what belongs to none of them. */
export type MatchedViews = { views: Map<string, number>; without: { rows: number; views: number } };

/**
 * Finds the pages that rows are of. `www.`, the scheme, a slash at the end and escapes make no difference; what the pages do
 * not have of a query or fragment is left out, as campaigns and searches are.
 *
 * @param pages their addresses
 * @param home the site's starting URL, of which paths are
 */
export function matchViews(rows: readonly ViewsRow[], pages: readonly string[], home: string): MatchedViews {
  const byKey = new Map<string, string>();
  for (const url of pages) {
    const parsed = URL.parse(url);
    const key = parsed && keyOf(parsed, "whole");
    if (key && !byKey.has(key)) byKey.set(key, url);
  }
  const matched: MatchedViews = { views: new Map(), without: { rows: 0, views: 0 } };
  for (const row of rows) {
    const url = addressOf(row, home);
    const page = url && parts.map((part) => byKey.get(keyOf(url, part))).find((found) => found !== undefined);
    if (page) matched.views.set(page, (matched.views.get(page) ?? 0) + row.views);
    else {
      matched.without.rows += 1;
      matched.without.views += row.views;
    }
  }
  return matched;
}

/** What of an address is compared, the most first. */
const parts = ["whole", "query", "path"] as const;

function addressOf({ address, host }: ViewsRow, home: string): URL | null {
  if (address.startsWith("/") && !address.startsWith("//"))
    return host === undefined ? URL.parse(address, home) : URL.parse(`http://${host}${address}`);
  return URL.parse(/^https?:\/\//i.test(address) ? address : `http://${address}`);
}

function keyOf({ host, pathname, search, hash }: URL, part: (typeof parts)[number]): string {
  const path = decoded(pathname).replace(/\/$/, "");
  return [bare(host), path, part === "path" ? "" : decoded(search), part === "whole" ? decoded(hash) : ""].join("");
}

function decoded(text: string): string {
  try {
    return decodeURI(text);
  } catch {
    return text;
  }
}
