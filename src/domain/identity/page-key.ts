import { hashRouteOf } from "../addresses/hash-route.ts";
import { urlOfVariant, variantOf } from "../addresses/page-variant.ts";
import { bare, isOfSite } from "../addresses/same-site.ts";
import { normaliseUrl } from "../scope/url-scope.ts";

/** Parameters that tell where a visitor came from, and do not change the page. */
const TRACKING =
  /^(?:utm_\w+|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|yclid|twclid|ttclid|igshid|li_fat_id|mc_[ce]id|mkt_tok|_ga|_gl|_hsenc|_hsmi|vero_id|pk_\w+|mtm_\w+|piwik_\w+)$/i;

/** Where a report starts, and which other hosts belong to its site. */
type Home = { startingUrl?: string; sameSite?: readonly string[] };

/**
 * Identifies a page in every run of its site: path and query, normalised as by the crawler. Scheme and host are left
 * out (but for further hosts of the site), so that staging and production can be compared, and so are tracking parameters. What a report ignores does not count
 * here: its setting may change, and session ids may be content. A page in a state, or on a further device, is a page of its own.
 */
export function pageKey(url: string, home: Home = {}): string {
  const { host, pathname, search } = new URL(normaliseUrl(url));
  const key = `${isHome(host, home) ? "" : `//${host}`}${pathname}${withoutTracking(search)}${hashRouteOf(url)}`;
  return urlOfVariant(key, variantOf(url));
}

/** A site of several hosts may have a page of the same path on each. */
function isHome(host: string, { startingUrl, sameSite = [] }: Home): boolean {
  if (startingUrl === undefined || sameSite.length === 0) return true;
  const home = new URL(startingUrl).host;
  // With `www` both hosts may have a page of the same path. Otherwise only the one that the start leads to has pages.
  return host === home || (bare(host) === bare(home) && !isOfSite(host, home, { sameSite }));
}

/** The order and the spelling of the others stay as they are. */
function withoutTracking(search: string): string {
  const kept = search
    .slice(1)
    .split("&")
    .filter((parameter) => parameter !== "" && !TRACKING.test(nameOf(parameter)));
  return kept.length === 0 ? "" : `?${kept.join("&")}`;
}

function nameOf(parameter: string): string {
  return parameter.split("=", 1)[0] ?? "";
}
