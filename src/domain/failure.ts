import { shownText } from "./addresses/shown-address.ts";

/**
 * Why a page could not be fetched or checked. Stored with the check and shown by
 * the API, so codes are stable: add, never rename.
 */
export const failureCodes = {
  http_error: "The server responded with an error status.",
  unreachable: "No connection to the server could be made.",
  dns_error: "The host name could not be resolved.",
  tls_error: "The server's TLS certificate or handshake was not accepted.",
  timeout: "The page did not respond or did not finish in time.",
  host_unresponsive: "The server did not respond to several requests in a row, so this one was not sent.",
  not_html: "The response is not an HTML document.",
  too_large: "The page is larger than the limit.",
  too_many_redirects: "The page redirects too often, or in a loop.",
  off_site: "The page redirects to another site.",
  redirected: "The page redirects to another page of its site, so that nothing can be said about this one.",
  login_required: "The page asks to sign in instead of showing what was asked for.",
  scripts_blocked: "The page forbids what the accessibility engine needs to run in it.",
  blocked_address: "The address is not public, and the configuration does not allow it.",
  invalid_response: "The server's response is not valid HTTP.",
  unreadable: "The response could not be read as a page.",
  browser_crashed: "The browser ended while it visited the page.",
  too_much_memory: "The page needs more memory than a browser may use.",
  cancelled: "The report was cancelled before the page was checked.",
  crawler_crashed: "The crawler ended repeatedly before its work was done.",
  deadline_exceeded: "The report's deadline passed before the page was checked.",
  checker_crashed: "The checker ended repeatedly while checking the page.",
  engine_error: "The engine could not check the page.",
  sign_in_failed: "Nobody could sign in to the site with the steps that were given.",
  steps_failed: "The steps that lead to the page's state could not be done.",
  credentials_missing: "The credentials that the report names for its site do not exist.",
  credits_exhausted: "The account has no credits left for this check.",
  empty: "The response has no content.",
  excluded: "The report's own settings exclude the URL.",
  source_missing: "The page's source is no longer stored.",
} as const;

export type FailureCode = keyof typeof failureCodes;

/** Failures that mean that the server did not respond. Other codes may say nothing about the server. */
export const noResponseCodes: ReadonlySet<FailureCode> = new Set<FailureCode>([
  "unreachable",
  "dns_error",
  "tls_error",
  "timeout",
  "host_unresponsive",
  "blocked_address",
  "too_many_redirects",
]);

/** A failed fetch or check: a stable code, and a sentence for people that includes what was received. */
export type Failure = { code: FailureCode; detail: string };

/**
 * What kept a visit waiting that ended with `timeout`: the server; the page, whose document had been received in full; or
 * the browser, which had nothing to wait for from the server.
 */
export type WaitedFor = "server" | "page" | "browser";

/** Its addresses are fit to be shown. Thrown at the edges (network, browser, engines) for a page whose failure is not our fault. */
export class PageError extends Error {
  readonly code: FailureCode;
  readonly waitedFor: WaitedFor;

  constructor(code: FailureCode, detail: string, options: ErrorOptions & { waitedFor?: WaitedFor } = {}) {
    super(shownText(detail), options);
    this.name = "PageError";
    this.code = code;
    this.waitedFor = options.waitedFor ?? "server";
  }

  get failure(): Failure {
    return { code: this.code, detail: this.message };
  }
}

/**
 * Why the crawler excluded a URL; stored in excluded_urls. `list_limit` marks the last URL of a full
 * list: it was excluded for one of the other reasons, and later ones are not listed. `sitemap_limit` is
 * for a sitemap of an index that is not read, `link_limit` for the first link of a page that is not followed.
 */
export const exclusionReasons = [
  "exclusion",
  "not_included",
  "off_site",
  "not_html",
  "page_limit",
  "sitemap_limit",
  "link_limit",
  "duplicate_canonical",
  "duplicate_redirect",
  "robots",
  "signs_out",
  "acts",
  "forms",
  "blocked_address",
  "trap",
  "invalid_url",
  "deleted",
  "list_limit",
] as const;

export type ExclusionReason = (typeof exclusionReasons)[number];

/** The end of a crawl, and why it failed or was cut short. */
export type CrawlOver = { state: "ended" | "failed"; failure: Failure };

/**
 * How a crawl ends that is given up: `ended` if it could fetch a page, otherwise `failed`, as if it had ended by itself.
 *
 * @param crawl with the failure of the starting URL, if there was one
 */
export function givenUpCrawl(
  crawl: { hasPages: boolean; failureCode: FailureCode | null; failureDetail: string | null },
  { code, detail }: Failure,
): CrawlOver {
  if (crawl.hasPages)
    return { state: "ended", failure: { code, detail: `The crawl was cut short: pages are missing. ${detail}` } };
  return { state: "failed", failure: { code: crawl.failureCode ?? code, detail: crawl.failureDetail ?? detail } };
}
