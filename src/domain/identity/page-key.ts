import { trackingParameters } from "../../schema/crawl-target.ts";
import { normaliseUrl } from "../site/url-scope.ts";

/**
 * Identifies a page in every run of its site: path and query, normalised as by the crawler. Scheme and host are left
 * out, so that staging and production can be compared, and so are tracking parameters. The order and the spelling of
 * the others stay as they are.
 */
export function pageKey(url: string): string {
  const { pathname, search } = new URL(normaliseUrl(url, trackingParameters));
  const kept = search
    .slice(1)
    .split("&")
    .filter((parameter) => parameter !== "");
  return kept.length === 0 ? pathname : `${pathname}?${kept.join("&")}`;
}
