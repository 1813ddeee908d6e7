/**
 * How the Spider gets a page: by HTTP alone (static) or through a browser (dynamic).
 * Both give plain data; what it means for the crawl is decided elsewhere.
 */

/** One answer, redirects followed. Error statuses are answers too. */
export type FetchedPage = {
  /** Where the redirects ended, without fragment: the page's own URL. */
  url: string;
  /** The URLs requested before `url`, in order; empty when nothing was redirected. */
  redirects: string[];
  status: number;
  /** The Content-Type header as received; "" when there was none. */
  contentType: string;
  /**
   * `html` is a page. `sitemap` and `text-list` are given only when asked for with
   * `lists`. Everything else, error statuses included, is `other`, without source and links.
   */
  kind: "html" | "sitemap" | "text-list" | "other";
  /** The body decoded to text as browsers do. For the dynamic fetcher: as received, before scripts ran. */
  source?: string;
  /**
   * html: targets of links, absolute, without fragment, each once, in document order. An
   * address that cannot be parsed is given as written, so that it can be reported.
   */
  links: string[];
  /** sitemap: further sitemaps that it lists; `links` holds its pages. */
  sitemaps?: string[];
  /** The Retry-After header as received, of an error status. */
  retryAfter?: string;
  /** The absolute URL of the first `link rel=canonical`. */
  canonical?: string;
};

export type FetchOptions = {
  /** Ends the fetch early, with the signal's reason. */
  signal: AbortSignal;
  /**
   * Awaited before every request of a page, redirects included, with the URL about to be
   * requested: waits for the rate limit. Its rejection ends the fetch and is passed on
   * as it is (a PageError `off_site`, for example).
   */
  beforeRequest: (url: string) => Promise<void>;
  /** true: sitemaps and text lists are read as well. A fetcher that cannot answers `other`. */
  lists?: boolean;
};

export type PageFetcher = {
  /** @throws PageError when there is no usable answer: unreachable, timeout, too large, redirect loop, … */
  fetch(url: string, options: FetchOptions): Promise<FetchedPage>;
  close(): Promise<void>;
};
