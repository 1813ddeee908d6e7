import type { DecodedDocument } from "html-conformance/documents";
import type { MarkedLink } from "../domain/acts/acts.ts";
import type { CheckNotice } from "../domain/coverage/notices.ts";
import type { PageReferences } from "../domain/page/references.ts";
import type { SignInPage } from "../domain/sign-in/sign-in-page.ts";
import type { Redirect } from "../net/guarded-fetch.ts";
import type { ListProblem } from "./url-list.ts";

/**
 * How the crawler fetches a page: by HTTP alone (static) or through a browser (dynamic).
 * Both return plain data. `handle-fetch-outcome.ts` decides what it means for the crawl.
 */

/** One response, after redirects. Responses with an error status are included. */
export type FetchedPage = {
  /** Where the redirects ended, without fragment: the page's own URL. */
  url: string;
  /** The URLs requested before `url`, in order; empty without redirects. */
  redirects: string[];
  status: number;
  /** The Content-Type header as received; "" when there was none. */
  contentType: string;
  /**
   * `html` is a page. `sitemap` and `text-list` occur only with the option `lists`. Everything
   * else, including error statuses, is `other` and has no document and no links.
   */
  kind: "html" | "sitemap" | "text-list" | "other";
  /** html: the page, decoded to text as browsers do. For the dynamic fetcher: as received, before scripts ran. */
  document?: DecodedDocument;
  /** html, if checks need the whole crawl: the page as scripts have left it, as HTML; "" if that is too large. */
  rendered?: string;
  /** html: the body as received, if it equals the document's source in UTF-8. */
  utf8?: Buffer;
  /**
   * html: targets of links, absolute, without fragment, each once, in document order. A URL
   * that cannot be parsed stays as written, so that it can be reported.
   */
  links: string[];
  /** html: links to views behind a `#` of pages (hash-route.ts), absolute, each once, up to a limit. */
  routes?: string[];
  /** html: what it needs, if the fetcher reads that with its links. */
  references?: PageReferences;
  /** html: links of templates that scripts fill in, as written, by HTTP alone. */
  templates?: string[];
  /** html: links whose elements or texts may say that they act, or sign out. */
  marked?: MarkedLink[];
  /** html: True when nothing is there before scripts run, by HTTP alone. */
  needsScripts?: boolean;
  /** The first link that was left out, when the page has more links than the limits allow (link-limits.ts). */
  unread?: string;
  /** sitemap: further sitemaps that it lists; `links` holds its pages. */
  sitemaps?: string[];
  /** sitemap and text-list: what could not be read. */
  problems?: ListProblem[];
  /** The Retry-After header as received; only with an error status. */
  retryAfter?: string;
  /** The Content-Location header, as an absolute URL of the same origin: which document this is (RFC 9110, 8.7). */
  contentLocation?: string;
  /** The absolute URL of the first `link rel=canonical`. */
  canonical?: string;
  /** html: what did not come, or could not be done before it was read. */
  notices?: CheckNotice[];
  /** html, and refusals (401, 403) in HTML: how much of a sign-in it is. */
  signIn?: SignInPage;
};

export type FetchOptions = {
  /** Ends the fetch early, with the signal's reason. */
  signal: AbortSignal;
  /**
   * Called with the URL and awaited before every request for a page, including redirects, to wait
   * for the rate limit. When it rejects, the fetch rejects with the same error (a PageError
   * `off_site`, for example).
   */
  beforeRequest: (url: string) => Promise<void>;
  /**
   * Called for each redirect before it is followed: by the server, and by documents themselves, by a refresh or a script.
   * `redirects` has both.
   */
  onRedirect?: (hop: Redirect) => void;
  /** Called when all redirects so far are followed once more, with the cookies that they have set. */
  onRestart?: () => void;
  /** true: reads sitemaps and text lists as well. A fetcher that cannot read them returns `other`. */
  lists?: boolean;
};

export type PageFetcher = {
  /** @throws PageError when there is no usable response: unreachable, timeout, too large, redirect loop, … */
  fetch(url: string, options: FetchOptions): Promise<FetchedPage>;
  close(): Promise<void>;
};
