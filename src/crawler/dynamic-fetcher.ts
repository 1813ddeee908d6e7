import { encodingOfText } from "html-conformance/documents";
import { type BrowserSettings, openBrowser } from "../browser/browser.ts";
import { deviceFor } from "../browser/devices.ts";
import { type Preparation, preparationOf, stoppedNotice } from "../browser/prepare-page.ts";
import { MAX_READ_ELEMENTS, MAX_READ_LENGTH } from "../browser/rendered-html.ts";
import type { Tab } from "../browser/tab.ts";
import { isHtml, type PageResponse } from "../browser/watch.ts";
import { needsBrowser, needsCrawl, performedKinds } from "../checks/kinds.ts";
import type { MarkedLink } from "../domain/acts/acts.ts";
import { createActRule } from "../domain/acts/rule.ts";
import { stepAddress } from "../domain/addresses/shown-address.ts";
import { withoutFragment } from "../domain/addresses/without-fragment.ts";
import type { CheckNotice } from "../domain/coverage/notices.ts";
import { errorText } from "../domain/error-text.ts";
import { BrokenEnvironmentError } from "../domain/errors.ts";
import { PageError } from "../domain/failure.ts";
import { screenshotKind } from "../domain/findings/screenshots.ts";
import { credentialsFor } from "../domain/headers/site-credentials.ts";
import { MAX_READ, readSigns } from "../domain/sign-in/page-signs.ts";
import { isRefusal, weighPage } from "../domain/sign-in/sign-in-page.ts";
import type { Redirect } from "../net/guarded-fetch.ts";
import { standingOf } from "../net/standing.ts";
import type { ReportSpec } from "../schema/report.ts";
import { contentLocation } from "./content.ts";
import { type LinkLimits, linkLimits } from "./link-limits.ts";
import type { FetchedPage, FetchOptions, PageFetcher } from "./page-fetcher.ts";

type Options = BrowserSettings & { spec: ReportSpec };

type ReadDocument = {
  links: string[];
  marked: MarkedLink[];
  unread: string | null;
  routes: string[];
  canonical: string | null;
  characterSet: string;
};

/**
 * Fetches pages in a browser, so that links created by scripts are found. Sitemaps and text
 * lists are not pages: their `kind` is `other`.
 *
 * @throws UsageError when there is no Chromium to use
 */
export async function createDynamicFetcher({ spec, ...settings }: Options): Promise<PageFetcher> {
  // For loading, waiting for network idle, and reading the links.
  const timeLimitMs = spec.pageTimeoutSeconds * 1_000;
  const device = await deviceFor(spec);
  const credentials = credentialsFor(spec.startingUrl, settings.credentials);
  const renders = performedKinds(spec).some(needsCrawl) || spec.a11yDepth === "acting";
  const preparation = preparationOf(spec);
  // Otherwise the checks or the screenshots, which prepare the page again, say what could not be done.
  const saysNotices = !performedKinds(spec).some(needsBrowser) && screenshotKind(spec) === undefined;
  const acts = createActRule(spec, standingOf(settings));
  const browser = await openBrowser({ ...settings, credentials, acts, device, idleLimitMs: timeLimitMs });
  return {
    fetch: async (url, { signal, beforeRequest, onRedirect }) => {
      let refusal: unknown;
      const guarded = async (next: string): Promise<void> => {
        try {
          await beforeRequest(next);
        } catch (error) {
          refusal = error;
          throw error;
        }
      };
      /** Since the last attempt: a visit is repeated when the browser ends. */
      let hops: Redirect[] = [];
      const tell = (made: readonly Redirect[]): void => {
        for (const hop of made) onRedirect?.(hop);
      };
      try {
        const page = await browser.withTab({ signal, timeLimitMs }, (tab) => {
          hops = [];
          return visit(tab, {
            asked: url,
            frames: spec.followFrames,
            renders,
            hops,
            preparation,
            saysNotices,
            beforeRequest: guarded,
          });
        });
        tell(hops.slice(0, page.redirects.length));
        return page;
      } catch (error) {
        tell(hops);
        if (error instanceof NotAPageError) return error.page;
        if (error instanceof PageError && error.code === "not_html") return download(url, hops);
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
function download(asked: string, hops: readonly Redirect[]): FetchedPage {
  const redirects = hops.map(({ from }) => from);
  return { url: hops.at(-1)?.to ?? asked, redirects, status: 200, contentType: "", kind: "other", links: [] };
}

type Visit = {
  asked: string;
  frames: boolean;
  renders: boolean;
  hops: Redirect[];
  preparation: Preparation;
  saysNotices: boolean;
  beforeRequest: FetchOptions["beforeRequest"];
};

async function visit(
  tab: Tab,
  { asked, frames, renders, hops, preparation, saysNotices, beforeRequest }: Visit,
): Promise<FetchedPage> {
  let at: string | undefined;
  const { response, redirectedFrom } = await tab.load(asked, {
    beforeRequest: async (url, from, status, fragment) => {
      // Steps lead nowhere but to the host of the page, and the page stays the one that was asked for.
      if (at !== undefined) requireHost(url, at);
      else if (from !== undefined)
        hops.push({ from, to: url, status, ...(fragment !== undefined && !asked.includes("#") && { fragment }) });
      await beforeRequest(from === undefined || at !== undefined ? asked : url);
    },
    checkResponse: (received) => {
      if (at !== undefined || ((received.status < 400 || isRefusal(received.status)) && isHtml(received))) return;
      const redirects = hops.map(({ from }) => from);
      throw new NotAPageError(toFetchedPage(received, redirects, "other"));
    },
  });
  at = response.url;
  const notices = response.status < 400 ? await preparation.awaitContent(tab) : [];
  const { links, marked, unread, routes, canonical, characterSet } = await read(tab, frames);
  const signIn = weighPage(readSigns(await tab.html(MAX_READ)));
  if (isRefusal(response.status)) return { ...toFetchedPage(response, redirectedFrom, "other"), signIn };
  const received = toFetchedPage(response, redirectedFrom, "html");
  // Of a view behind a `#`, the document is that of its page.
  const page = { ...received, url: received.url === withoutFragment(asked) ? asked : received.url };
  const html = renders ? await tab.html(MAX_READ_LENGTH + 1, MAX_READ_ELEMENTS) : undefined;
  const rendered = html !== undefined && html.length > MAX_READ_LENGTH ? "" : html;
  const source = await tab.source();
  tab.requireSameDocument();
  const more = preparation.hasSteps(asked) ? await linksAfterSteps(tab, { asked, frames, preparation }) : undefined;
  const allMarked = [...marked, ...(more?.marked ?? [])];
  return {
    ...page,
    ...contentLocation(response.headers["content-location"], page.url),
    document: {
      source,
      contentType: page.contentType,
      encoding: encodingOfText(source, page.contentType, characterSet),
    },
    ...(rendered !== undefined && { rendered }),
    links: [...new Set([...links, ...(more?.links ?? [])])],
    ...(allMarked.length > 0 && { marked: allMarked }),
    ...(saysNotices && { notices: [...notices, ...(more?.notices ?? []), ...stoppedNotice(tab)] }),
    signIn,
    ...(unread !== null && { unread }),
    ...(routes.length > 0 && { routes }),
    ...(canonical === null ? {} : { canonical }),
  };
}

/** What a page links to when its steps are done; nothing where they cannot be done, which its checks say. */
async function linksAfterSteps(
  tab: Tab,
  { asked, frames, preparation }: Pick<Visit, "asked" | "frames" | "preparation">,
): Promise<(ReadDocument & { notices: CheckNotice[] }) | undefined> {
  try {
    const notices = await preparation.doSteps(tab, asked);
    return { ...(await read(tab, frames)), notices };
  } catch (error) {
    if (error instanceof PageError && error.code !== "timeout") return undefined;
    throw error;
  }
}

/** @throws PageError for another host */
function requireHost(url: string, page: string): void {
  if (URL.parse(url)?.host !== URL.parse(page)?.host)
    throw new PageError("off_site", `The steps on ${page} lead to another site: ${stepAddress(url)}.`);
}

/** Links may come late, or when a reader has scrolled to them, like what is checked (ADR 0094). */
async function read(tab: Tab, frames: boolean): Promise<ReadDocument> {
  try {
    await tab.scrollThrough();
    return await tab.call(await tab.createWorld(tab.mainFrameId), readDocument, linkLimits, frames);
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
 * Runs in the page, so it must not use anything outside itself. Reads shadow roots, but not the documents in frames, which
 * are separate pages. Form controls and named elements can hide DOM members, even from an isolated world
 * (`<input name=getAttribute>`), so the members are read through the prototypes.
 */
function readDocument(limits: LinkLimits, frames: boolean): ReadDocument {
  const { maxLinks, maxLinkCharacters, maxUrlLength, maxParsedLength, maxRoutes, routePattern } = limits;
  const { maxMarked, actingAttributes, accountPattern } = limits;
  const links = new Set<string>();
  let characters = 0;
  const route = new RegExp(routePattern);
  const routes = new Set<string>();
  let unread: string | null = null;
  const base = Reflect.get(Node.prototype, "baseURI", document) as string;
  // The browser encodes queries as the document is encoded, but only in the URLs of elements.
  const probe = Document.prototype.createElement.call(document, "a");
  const parse = (href: string): URL | null => {
    if (href.length > maxParsedLength) return null;
    if (base.length > maxUrlLength) return URL.parse(href, location.href);
    Element.prototype.setAttribute.call(probe, "href", href);
    return URL.parse(Reflect.get(HTMLAnchorElement.prototype, "href", probe) as string);
  };
  const resolve = (href: string): string | undefined => {
    const url = parse(href);
    if (!url) return href.trim().slice(0, maxParsedLength + 1);
    // A long one is cut: it is counted, and named, but not visited.
    const hash = url.hash.slice(0, Math.max(0, maxUrlLength - (url.href.length - url.hash.length)));
    if (routes.size < maxRoutes && route.test(hash)) routes.add(url.href.slice(0, maxUrlLength));
    url.hash = "";
    return url.protocol === "http:" || url.protocol === "https:" ? url.href : undefined;
  };
  const attribute = (element: Element, name: string): string | null =>
    Element.prototype.getAttribute.call(element, name);
  const targetOf = (element: Element): string | null => {
    switch (Reflect.get(Element.prototype, "localName", element)) {
      case "a": {
        const isDrawn = Reflect.get(Element.prototype, "namespaceURI", element) === "http://www.w3.org/2000/svg";
        return attribute(element, "href") ?? (isDrawn ? attribute(element, "xlink:href") : null);
      }
      case "area":
        return attribute(element, "href");
      case "frame":
      case "iframe":
        return frames && attribute(element, "srcdoc") === null ? attribute(element, "src")?.trim() || null : null;
      default:
        return null;
    }
  };
  const ofAccount = new RegExp(accountPattern, "iu");
  const marked: MarkedLink[] = [];
  const mark = (element: Element, url: string): void => {
    const attributes: Record<string, string> = {};
    for (const name of actingAttributes) {
      const value = attribute(element, name);
      if (value !== null) attributes[name] = value.slice(0, 500);
    }
    const texts = [Reflect.get(Node.prototype, "textContent", element) as string];
    // An icon has its name in an attribute.
    const named = Element.prototype.querySelectorAll.call(element, "[alt], [title], [aria-label]");
    for (const one of [element, ...[...named].slice(0, 10)])
      for (const name of ["alt", "title", "aria-label"]) texts.push(attribute(one, name) ?? "");
    const text =
      texts.map((one) => one.slice(0, 400).replace(/\s+/g, " ").trim()).find((one) => ofAccount.test(one)) ?? "";
    if ((text !== "" || Object.keys(attributes).length > 0) && marked.length < maxMarked)
      marked.push({ url, attributes, text });
  };
  const add = (element: Element): void => {
    const href = targetOf(element);
    const link = href === null ? undefined : resolve(href);
    if (link === undefined) return;
    mark(element, link);
    if (links.has(link)) return;
    characters += link.length;
    if (links.size < maxLinks && characters <= maxLinkCharacters) links.add(link);
    else unread ??= link;
  };
  // With scripts, the content of a noscript is text, but not in XML.
  const isXml = Reflect.get(Document.prototype, "contentType", document) !== "text/html";
  const skipNoscript = (node: Node): number =>
    Reflect.get(Element.prototype, "localName", node) === "noscript"
      ? NodeFilter.FILTER_REJECT
      : NodeFilter.FILTER_ACCEPT;
  const walk = (root: Node): TreeWalker =>
    Document.prototype.createTreeWalker.call(document, root, NodeFilter.SHOW_ELEMENT, isXml ? skipNoscript : null);
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
  const target = canonical && attribute(canonical, "href");
  return {
    links: [...links],
    marked,
    unread,
    routes: [...routes],
    canonical: target === null ? null : (parse(target)?.href ?? null),
    characterSet: Reflect.get(Document.prototype, "characterSet", document) as string,
  };
}
