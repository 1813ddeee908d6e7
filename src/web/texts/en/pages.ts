import { type ExclusionReason, failureCodes } from "../../../domain/failure.ts";
import { plural } from "../../../domain/plural.ts";
import { counted } from "./numbers.ts";

/** The pages of a report. */
export const pagesTexts = {
  pages: {
    title: "Pages",
    columns: { page: "Page", status: "Status" },
    status: { pending: "waiting", checking: "being checked", checked: "checked", failed: "not checked" },
    filter: "The address contains",
    none: "No pages match",
    noneYet: "No pages have been found so far.",
    sort: "Sort",
    sorts: { "": "As found", "errors-desc": "Most errors first", "url-asc": "By address" } as Record<string, string>,
    notChecked: "–",
  },
  page: {
    again: "Check again",
    open: "Open the page",
    linkedFrom: "Linked from",
    screenshot: "Screenshot",
    screenshotAlt: (url: string) => `Screenshot of ${url}`,
    box: (n: number) => `Finding ${n}`,
    inScreenshot: "in the screenshot",
    findings: "Findings",
    noFindings: "Nothing wrong was found on this page.",
    notYet: "This page has not been checked yet.",
    notChecked: "This page could not be checked.",
    checkedAt: "Checked",
  },
  failed: {
    title: "Failed and excluded",
    failed: "Could not be checked",
    failedNone: "Every page could be checked.",
    excluded: "Left out",
    excludedNone: "No address was left out.",
    columns: { address: "Address", why: "Why", from: "Linked from" },
    morePages: (n: number) => `and ${plural(n, "other page")}`,
    reasons: failureCodes as Readonly<Record<string, string>>,
    excludedReasons: {
      exclusion: "The report's settings leave it out.",
      not_included: "It is not among the addresses that the report's settings include.",
      off_site: "It belongs to another site.",
      not_html: "It is not an HTML document.",
      page_limit: "The report has its maximum number of pages.",
      sitemap_limit: "The sitemaps have more entries than are read.",
      link_limit: "The page has more links than are followed.",
      list_limit: "The list has more addresses than are read.",
      duplicate_canonical: "Its canonical address is another page of the report.",
      duplicate_redirect: "It redirects to another page of the report.",
      robots: "robots.txt does not allow it.",
      blocked_address: "It is at an address that may not be visited.",
      trap: "It looks like an endless series of addresses.",
      invalid_url: "It is not a valid address.",
      deleted: "It was removed from the report.",
    } satisfies Record<ExclusionReason, string> as Readonly<Record<string, string>>,
  },
  crop: {
    alt: (url: string) => `The element, outlined, in the screenshot of ${url}`,
  },
  source: {
    title: "Source",
    what: "The lines with findings, as they were checked.",
    whole: "The whole source",
    notStored: "The source of this page is not stored: it may be too large, or the service does not keep sources.",
    left: (n: number) => `${counted(n, "finding")} not shown here: see the whole source.`,
  },
};
