import { encodingOfText } from "html-conformance/documents";
import { type BrowserSettings, openBrowser } from "../browser/browser.ts";
import { deviceFor } from "../browser/devices.ts";
import type { Tab } from "../browser/tab.ts";
import { isHtml, type PageResponse } from "../browser/watch.ts";
import { errorText } from "../domain/error-text.ts";
import { BrokenEnvironmentError } from "../domain/errors.ts";
import { PageError } from "../domain/failure.ts";
import { credentialsFor } from "../domain/site/site-credentials.ts";
import type { ReportSpec } from "../schema/report.ts";
import { type LinkLimits, linkLimits } from "./link-limits.ts";
import type { FetchedPage, FetchOptions, PageFetcher } from "./page-fetcher.ts";

type Options = BrowserSettings & {
  spec: ReportSpec;
  /** Total time for a page: loading, waiting for network idle, and reading its links. */
  timeLimitMs?: number;
};

const TIME_LIMIT_MS = 30_000;

type ReadDocument = { links: string[]; unread: string | null; canonical: string | null; characterSet: string };

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
  const credentials = credentialsFor(spec.startingUrl, settings.credentials);
  const browser = await openBrowser({ ...settings, credentials, device });
  return {
    fetch: async (url, { signal, beforeRequest }) => {
      let refusal: unknown;
      const guarded = async (next: string): Promise<void> => {
        try {
          await beforeRequest(next);
        } catch (error) {
          refusal = error;
          throw error;
        }
      };
      try {
        return await browser.withTab({ signal, timeLimitMs }, (tab) => visit(tab, url, guarded));
      } catch (error) {
        if (error instanceof NotAPageError) return error.page;
        if (error instanceof PageError && error.code === "not_html") return download(url);
        if (error instanceof PageError || error instanceof BrokenEnvironmentError) throw error;
        if (signal.aborted || error === refusal) throw error;
        // Any other error during a visit counts as the page's own failure.
        settings.log.warn("the browser could not read a page", { url, error });
        throw new PageError("unreadable", `${url} could not be read in the browser: ${errorText(error).slice(0, 500)}`);
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

/** The browser cancels a download before its response is known, so only its URL is known. */
function download(url: string): FetchedPage {
  return { url, redirects: [], status: 200, contentType: "", kind: "other", links: [] };
}

async function visit(tab: Tab, asked: string, beforeRequest: FetchOptions["beforeRequest"]): Promise<FetchedPage> {
  const hops: string[] = [];
  const { response, redirectedFrom } = await tab.load(asked, {
    beforeRequest: async (url, from) => {
      await beforeRequest(from === undefined ? asked : url);
      if (from !== undefined) hops.push(from);
    },
    checkResponse: (received) => {
      if (received.status >= 400 || !isHtml(received)) throw new NotAPageError(toFetchedPage(received, hops, "other"));
    },
  });
  const { links, unread, canonical, characterSet } = await read(tab);
  const page = toFetchedPage(response, redirectedFrom, "html");
  const source = await tab.source();
  tab.requireSameDocument();
  return {
    ...page,
    document: {
      source,
      contentType: page.contentType,
      encoding: encodingOfText(source, page.contentType, characterSet),
    },
    links,
    ...(unread !== null && { unread }),
    ...(canonical === null ? {} : { canonical }),
  };
}

async function read(tab: Tab): Promise<ReadDocument> {
  try {
    return await tab.call(await tab.createWorld(tab.mainFrameId), readDocument, linkLimits);
  } catch (error) {
    // The isolated world ends with its document: if the page has replaced it, that is the error to report.
    tab.requireSameDocument();
    throw error;
  }
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

/**
 * Runs in the page, so it must not use anything outside itself. Reads shadow roots, but not frames, which are separate
 * pages. Form controls and named elements can hide DOM members, even from an isolated world
 * (`<input name=getAttribute>`), so the members are read through the prototypes.
 */
function readDocument({ maxLinks, maxLinkCharacters, maxUrlLength, maxParsedLength }: LinkLimits): ReadDocument {
  const links = new Set<string>();
  let characters = 0;
  let unread: string | null = null;
  const declaredBase = Reflect.get(Node.prototype, "baseURI", document) as string;
  const base = declaredBase.length > maxUrlLength ? location.href : declaredBase;
  const resolve = (href: string): string | undefined => {
    const url = href.length > maxParsedLength ? null : URL.parse(href, base);
    if (!url) return href.trim().slice(0, maxParsedLength + 1);
    url.hash = "";
    return url.protocol === "http:" || url.protocol === "https:" ? url.href : undefined;
  };
  const add = (element: Element): void => {
    const name = Reflect.get(Element.prototype, "localName", element);
    if (name !== "a" && name !== "area") return;
    const href = Element.prototype.getAttribute.call(element, "href");
    const link = href === null ? undefined : resolve(href);
    if (link === undefined || links.has(link)) return;
    characters += link.length;
    if (links.size < maxLinks && characters <= maxLinkCharacters) links.add(link);
    else unread ??= link;
  };
  const walk = (root: Node): TreeWalker => Document.prototype.createTreeWalker.call(document, root, 1);
  // An explicit stack, because shadow roots may be nested deeper than the call stack allows.
  const walkers = [walk(document)];
  for (let walker = walkers.at(-1); walker; walker = walkers.at(-1)) {
    const element = walker.nextNode() as Element | null;
    if (!element || unread !== null) {
      walkers.pop();
      continue;
    }
    add(element);
    const shadow = Reflect.get(Element.prototype, "shadowRoot", element) as ShadowRoot | null;
    if (shadow) walkers.push(walk(shadow));
  }
  const canonical = Document.prototype.querySelector.call(document, "link[rel~='canonical' i][href]");
  const target = canonical && Element.prototype.getAttribute.call(canonical, "href");
  return {
    links: [...links],
    unread,
    canonical: target === null ? null : (URL.parse(target, base)?.href ?? null),
    characterSet: Reflect.get(Document.prototype, "characterSet", document) as string,
  };
}
