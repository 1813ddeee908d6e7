/**
 * Why a page could not be fetched or checked. Stored with the check and shown by
 * the API, so codes are stable: add, never rename.
 */
export const failureCodes = {
  http_error: "The server answered with an error status.",
  unreachable: "No connection to the server could be made.",
  dns_error: "The host name could not be resolved.",
  tls_error: "The server's TLS certificate or handshake was not accepted.",
  timeout: "The page did not answer in time.",
  not_html: "The answer is no HTML document.",
  too_large: "The page is larger than the limit.",
  too_many_redirects: "The page redirects too often or in a circle.",
  off_site: "The page redirects to another site.",
  blocked_address: "The address is not public and not allowed by configuration.",
  invalid_response: "The server's answer is not valid HTTP.",
  browser_crashed: "The browser ended while checking the page.",
  crawler_crashed: "The crawler ended while working, repeatedly.",
  checker_crashed: "The checker ended while checking the page, repeatedly.",
  engine_error: "The engine could not check the page.",
  credentials_missing: "The credentials that the report names for its site are not there.",
  credits_exhausted: "The account has no credits left for this check.",
  empty: "The answer has no content.",
  excluded: "The report's own settings leave the URL out.",
  source_missing: "The page's source is no longer stored.",
} as const;

export type FailureCode = keyof typeof failureCodes;

/** Failures for which a server gave no answer at all; others may say nothing of the server. */
export const withoutAnswer: ReadonlySet<FailureCode> = new Set<FailureCode>([
  "unreachable",
  "dns_error",
  "tls_error",
  "timeout",
  "blocked_address",
  "too_many_redirects",
]);

/** A failed fetch or check: a stable code, and a sentence for people with what was received. */
export type Failure = { code: FailureCode; detail: string };

/** Thrown at the edges (network, browser, engines) for a page that failed through no fault of ours. */
export class PageError extends Error {
  readonly code: FailureCode;

  constructor(code: FailureCode, detail: string, options?: ErrorOptions) {
    super(detail, options);
    this.name = "PageError";
    this.code = code;
  }

  get failure(): Failure {
    return { code: this.code, detail: this.message };
  }
}

/**
 * Why the Spider left a URL out; stored in excluded_urls. `list_limit`: for one of the other
 * reasons, as maybe more URLs after it, which are not listed.
 */
export const exclusionReasons = [
  "exclusion",
  "off_site",
  "not_html",
  "page_limit",
  "duplicate_canonical",
  "duplicate_redirect",
  "robots",
  "blocked_address",
  "trap",
  "invalid_url",
  "deleted",
  "list_limit",
] as const;

export type ExclusionReason = (typeof exclusionReasons)[number];
