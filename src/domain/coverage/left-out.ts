import type { ExclusionReason } from "../failure.ts";

/** Addresses that were left out, by reason, after their number: "12 of other sites". */
export const leftOutWords: Readonly<Record<ExclusionReason, string>> = {
  exclusion: "by the report's exclusions",
  off_site: "of other sites",
  not_html: "that are not HTML",
  page_limit: "beyond the limit of pages",
  sitemap_limit: "sitemaps beyond the limit",
  link_limit: "beyond the limit of links",
  duplicate_canonical: "with another canonical URL",
  duplicate_redirect: "that redirect to another page",
  robots: "that robots.txt does not allow",
  blocked_address: "at addresses that may not be visited",
  trap: "that look like an endless series",
  invalid_url: "that are not valid",
  deleted: "removed from the report",
  list_limit: "beyond the length of the list",
};
