import { type BrowserSettings, openBrowser } from "../browser/browser.ts";
import { deviceFor } from "../browser/devices.ts";
import type { Tab } from "../browser/tab.ts";
import { isHtml, type PageResponse } from "../browser/watch.ts";
import { encodingOfText } from "../domain/decode-document.ts";
import { PageError } from "../domain/failure.ts";
import type { ReportSpec } from "../schema/report.ts";
import type { FetchedPage, FetchOptions, PageFetcher } from "./page-fetcher.ts";

type Options = BrowserSettings & {
  spec: ReportSpec;
  /** Time for a page in all: loading, waiting for network idle, and reading its links. */
  timeLimitMs?: number;
};

const TIME_LIMIT_MS = 30_000;
/** Distinct links read from one page. A page with more of them is not made for people. */
const MAX_LINKS = 50_000;

/**
 * Fetches pages in a browser, so that links created by scripts are found. Sitemaps and text
 * lists are not pages: their `kind` is `other`.
 *
 * @throws UsageError when there is no Chromium to use
 */
export async function createDynamicFetcher({
  spec,
  timeLimitMs = TIME_LIMIT_MS,
  ...settings
}: Options): Promise<PageFetcher> {
  const device = await deviceFor(spec);
  const browser = await openBrowser({ ...settings, device });
  return {
    fetch: async (url, options) => {
      // Before the tab is opened, because waiting for the rate limit does not count as the page's time.
      await options.beforeRequest(url);
      try {
        return await browser.withTab({ signal: options.signal, timeLimitMs }, (tab) => visit(tab, url, options));
      } catch (error) {
        if (error instanceof NotAPageError) return error.page;
        if (error instanceof PageError && error.code === "not_html") return download(url);
        throw error;
      }
    },
    close: () => browser.close(),
  };
}

/** Thrown to end a visit whose response is not a page. */
class NotAPageError extends Error {
  readonly page: FetchedPage;

  constructor(page: FetchedPage) {
    super(`${page.url} is not a page`);
    this.page = page;
  }
}

/** The browser cancels a download before its response is known, so there is only the URL. */
function download(url: string): FetchedPage {
  return { url, redirects: [], status: 200, contentType: "", kind: "other", links: [] };
}

async function visit(tab: Tab, asked: string, { beforeRequest }: FetchOptions): Promise<FetchedPage> {
  const hops: string[] = [];
  const { response, redirectedFrom } = await tab.load(asked, {
    beforeNavigation: async (url, from) => {
      await beforeRequest(url);
      hops.push(from);
    },
    checkResponse: (received) => {
      if (received.status >= 400 || !isHtml(received)) throw new NotAPageError(toFetchedPage(received, hops, "other"));
    },
  });
  const world = await tab.createWorld(tab.mainFrameId);
  const { links, canonical, characterSet } = await tab.call(world, readDocument, MAX_LINKS);
  const page = toFetchedPage(response, redirectedFrom, "html");
  const source = await tab.source();
  return {
    ...page,
    document: {
      source,
      contentType: page.contentType,
      encoding: encodingOfText(source, page.contentType, characterSet),
    },
    links,
    ...(canonical === null ? {} : { canonical }),
  };
}

function toFetchedPage(response: PageResponse, redirects: string[], kind: FetchedPage["kind"]): FetchedPage {
  const url = new URL(response.url);
  url.hash = "";
  const retryAfter = response.status < 400 ? undefined : response.headers["retry-after"];
  return {
    ...(retryAfter !== undefined && { retryAfter }),
    url: url.href,
    redirects: [...redirects],
    status: response.status,
    contentType: response.headers["content-type"] ?? "",
    kind,
    links: [],
  };
}

/** Runs in the page, so it must not use anything outside itself. Reads shadow roots, but not frames: these are separate pages. */
function readDocument(maxLinks: number): { links: string[]; canonical: string | null; characterSet: string } {
  const links = new Set<string>();
  const resolve = (href: string): string | undefined => {
    const url = URL.parse(href, document.baseURI);
    if (!url) return href.trim();
    url.hash = "";
    return url.protocol === "http:" || url.protocol === "https:" ? url.href : undefined;
  };
  const read = (root: Document | ShadowRoot): void => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node && links.size < maxLinks; node = walker.nextNode()) {
      const element = node as Element;
      if (element.shadowRoot) read(element.shadowRoot);
      if (element.localName !== "a" && element.localName !== "area") continue;
      const href = element.getAttribute("href");
      const link = href === null ? undefined : resolve(href);
      if (link !== undefined) links.add(link);
    }
  };
  read(document);
  const canonical = document.querySelector("link[rel~='canonical' i][href]")?.getAttribute("href") ?? null;
  return {
    links: [...links],
    canonical: canonical === null ? null : (URL.parse(canonical, document.baseURI)?.href ?? null),
    characterSet: document.characterSet,
  };
}
