import { type BrowserSettings, openBrowser } from "../browser/browser.ts";
import { deviceFor } from "../browser/devices.ts";
import type { Tab } from "../browser/tab.ts";
import { isHtml, type PageResponse } from "../browser/watch.ts";
import { PageError } from "../domain/failure.ts";
import type { ReportSpec } from "../schema/report.ts";
import type { FetchedPage, FetchOptions, PageFetcher } from "./page-fetcher.ts";

type Options = BrowserSettings & {
  spec: ReportSpec;
  /** All of a page: load, rest and reading its links. */
  timeLimitMs?: number;
};

const TIME_LIMIT_MS = 30_000;
/** Different targets taken from one page; more are no page for people. */
const MAX_LINKS = 50_000;

/**
 * Pages as a browser shows them, so that links made by scripts are found. Lists
 * (sitemaps, texts) are not pages: they are answered as `other`.
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
      // Before the tab is opened: waiting for the rate limit is not the page's time.
      await options.beforeRequest(url);
      try {
        return await browser.withTab({ signal: options.signal, timeLimitMs }, (tab) => visit(tab, url, options));
      } catch (error) {
        if (error instanceof NoPage) return error.page;
        if (error instanceof PageError && error.code === "not_html") return download(url);
        throw error;
      }
    },
    close: () => browser.close(),
  };
}

/** Ends a visit whose answer is no page. */
class NoPage extends Error {
  readonly page: FetchedPage;

  constructor(page: FetchedPage) {
    super(`${page.url} is no page`);
    this.page = page;
  }
}

/** Nothing is known of a download but that it is none of ours: the browser ends it before it answers. */
function download(url: string): FetchedPage {
  return { url, redirects: [], status: 200, contentType: "", kind: "other", links: [] };
}

async function visit(tab: Tab, asked: string, { beforeRequest }: FetchOptions): Promise<FetchedPage> {
  const hops: string[] = [];
  const { response, redirectedFrom } = await tab.load(asked, {
    beforeHop: async (url, from) => {
      await beforeRequest(url);
      hops.push(from);
    },
    judge: (answer) => {
      if (answer.status >= 400 || !isHtml(answer)) throw new NoPage(fetched(answer, hops, "other"));
    },
  });
  const world = await tab.createWorld(tab.mainFrameId);
  const { links, canonical } = await tab.call(world, readDocument, MAX_LINKS);
  return {
    ...fetched(response, redirectedFrom, "html"),
    source: await tab.source(),
    links,
    ...(canonical === null ? {} : { canonical }),
  };
}

function fetched(response: PageResponse, redirects: string[], kind: FetchedPage["kind"]): FetchedPage {
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

/** Runs in the page: it may use nothing from outside itself. Frames are pages of their own; shadow roots belong to this one. */
function readDocument(maxLinks: number): { links: string[]; canonical: string | null } {
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
  };
}
