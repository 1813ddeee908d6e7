import type { ExclusionReason } from "../failure.ts";

/** Addresses that were left out, by reason, after their number: "12 of other sites". */
export const leftOutWords: Readonly<Record<ExclusionReason, string>> = {
  exclusion: "by the report's exclusions",
  not_included: "not included by a glob",
  off_site: "of other sites",
  not_html: "not HTML",
  page_limit: "beyond the limit of pages",
  sitemap_limit: "beyond the limit of sitemaps",
  link_limit: "beyond the limit of links",
  duplicate_canonical: "with another canonical URL",
  duplicate_redirect: "redirected to another page",
  robots: "not allowed by robots.txt",
  signs_out: "ending the session",
  blocked_address: "at addresses that may not be visited",
  trap: "in what looks like an endless series",
  invalid_url: "not valid",
  deleted: "removed from the report",
  list_limit: "beyond the length of the list",
};
