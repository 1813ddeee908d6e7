import type { ExclusionReason } from "../failure.ts";

/** Why an address was left out: after a number ("12 of other sites"), and as a clause that begins with "it". */
export const leftOutTexts = {
  exclusion: {
    counted: "by the report's exclusions",
    clause: "it matches one of the report's exclusions or exclude_globs",
  },
  not_included: { counted: "not included by a glob", clause: "it matches none of the report's include_globs" },
  off_site: { counted: "of other sites", clause: "it is on another host than the site" },
  not_html: { counted: "not HTML", clause: "it is not an HTML document" },
  page_limit: { counted: "beyond the limit of pages", clause: "it is beyond the report's maximum number of pages" },
  sitemap_limit: { counted: "beyond the limit of sitemaps", clause: "it is beyond the sitemaps that are read" },
  link_limit: { counted: "beyond the limit of links", clause: "it is beyond the links of a page that are followed" },
  duplicate_canonical: {
    counted: "with another canonical URL",
    clause: "its canonical URL, or the document that it is, is another page of the report",
  },
  duplicate_redirect: { counted: "redirected to another page", clause: "it redirects to another page of the report" },
  robots: {
    counted: "not allowed by robots.txt",
    clause: "it is not allowed by the site's robots.txt, which the report respects",
  },
  signs_out: { counted: "ending the session", clause: "it ends the session in which the site is crawled" },
  acts: { counted: "that change something", clause: "it, or what it leads to, changes something on the site" },
  forms: {
    counted: "of forms",
    clause: "it is a form that edits or makes something, of which few of a kind are visited while signed in",
  },
  blocked_address: {
    counted: "at addresses that may not be visited",
    clause: "it is at an address that may not be visited",
  },
  trap: {
    counted: "in what looks like an endless series",
    clause: "it looks like one of an endless number of generated URLs (a crawl trap)",
  },
  invalid_url: { counted: "not valid", clause: "it has a user name or password, or is no URL" },
  deleted: { counted: "removed from the report", clause: "it was removed from the report" },
  list_limit: { counted: "beyond the length of the list", clause: "it is beyond the addresses that are listed" },
} as const satisfies Record<ExclusionReason, { counted: string; clause: string }>;
