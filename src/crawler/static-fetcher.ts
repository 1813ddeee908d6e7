import { promisify } from "node:util";
import { constants, gunzip } from "node:zlib";
import { type DocumentEncoding, decodeDocument } from "html-conformance/documents";
import { PageError } from "../domain/failure.ts";
import { redirectOf } from "../domain/page/refresh.ts";
import { parseUrl } from "../domain/scope/url-scope.ts";
import { isShell, maySignIn, readSigns } from "../domain/sign-in/page-signs.ts";
import { isRefusal, weighPage } from "../domain/sign-in/sign-in-page.ts";
import { tooLarge } from "../net/decompress.ts";
import type { GuardedFetch, GuardedResponse, ResponseHead } from "../net/guarded-fetch.ts";
import { header } from "../net/request.ts";
import { limitConcurrency } from "../time/limit-concurrency.ts";
import { contentLocation, essence, isAttachment, type MediaType, mediaType, sniffMediaType } from "./content.ts";
import type { FetchedPage, FetchOptions, PageFetcher } from "./page-fetcher.ts";
import { type PageLinks, readLinks, readLinksAndReferences } from "./page-links.ts";
import { mayBeList, parseSitemap, parseTextList } from "./url-list.ts";

/** Redirects by the server and by refresh together. */
const MAX_REDIRECTS = 5;
const MAX_PAGE_BYTES = 10_000_000;
/** The sitemap protocol allows 50 MB. */
const MAX_LIST_BYTES = 50_000_000;
/** A longer response than a page is kept in memory several times: as received, unpacked and decoded. */
const MAX_LONG_LISTS = 2;

/**
 * Fetches pages by HTTP alone: no script runs. A refresh of few seconds is followed like a redirect.
 *
 * @param options.frames whether the documents in a page's frames are among its links
 * @param options.references whether what a page needs is read, too
 */
export function createStaticFetcher(
  http: GuardedFetch,
  { frames = false, references = false }: Partial<ReadOptions> = {},
): PageFetcher {
  const readLongList = limitConcurrency(MAX_LONG_LISTS);
  const fetchOnce = createFetch(http, { frames, references }, readLongList);
  return {
    async fetch(url, options) {
      let { refresh, saved: _, timeLeft, ...page } = await fetchOnce(url, options);
      for (let before: string[] = []; refresh !== undefined; ) {
        const { redirects, url: from } = page;
        before = [...redirects, from];
        const target = refresh;
        if (before.includes(target) || before.length > MAX_REDIRECTS) {
          options.onRedirect?.({ from, to: target, status: null });
          throw endless(url, [...before, target]);
        }
        const next = await fetchOnce(target, { ...options, timeLeft, from: before }).catch((error: unknown) => {
          options.onRedirect?.({ from, to: target, status: null });
          throw error;
        });
        // A page that starts a download stays.
        if (next.saved) break;
        options.onRedirect?.({ from, to: target, status: null });
        ({ refresh, saved: _, timeLeft, ...page } = { ...next, redirects: [...before, ...next.redirects] });
      }
      return page;
    },
    close: () => http.close(),
  };
}

function endless(url: string, chain: readonly string[]): PageError {
  return new PageError("too_many_redirects", `${url} redirects too often, by refresh: ${chain.join(" → ")}.`);
}

type Fetched = FetchedPage &
  Pick<PageLinks, "refresh"> & {
    /** True for a response that browsers save or ignore, so that the document before it stays. */
    saved?: boolean;
    /** What is left of the page's time, in ms. */
    timeLeft: number;
  };

/**
 * Fetches one response. A list that is longer than a page may be is requested again, when few others are being read: its
 * length is known only when it has been received and unpacked.
 */
function createFetch(http: GuardedFetch, reading: ReadOptions, readLongList: ReturnType<typeof limitConcurrency>) {
  return async (url: string, options: FetchOptions & { timeLeft?: number; from?: string[] }): Promise<Fetched> => {
    const { lists = false, signal, beforeRequest, onRedirect, onRestart, timeLeft, from = [] } = options;
    let isList = false;
    let isRefused = false;
    const read = async (maxListBytes: number, readsRefusals = true): Promise<Fetched> => {
      const maxBytes = (head: ResponseHead): number => {
        isList = lists && isListHead(head);
        isRefused = isRefusal(head.status);
        return isList ? maxListBytes : pageBytes(head, readsRefusals);
      };
      const response = await http.get(url, {
        signal,
        beforeRequest,
        onRedirect,
        onRestart,
        maxBytes,
        from,
        // Those before a refresh count, too, as in a browser.
        maxRedirects: MAX_REDIRECTS - from.length,
        ...(timeLeft !== undefined && { timeLeft }),
      });
      const isLedTo = timeLeft !== undefined || response.redirects.length > 0;
      return readPage(response, { ...reading, isLedTo, maxListBytes: lists ? maxListBytes : undefined });
    };
    try {
      return await read(MAX_PAGE_BYTES);
    } catch (error) {
      // Its status is what counts, whatever is wrong with its body.
      if (isRefused && error instanceof PageError) return read(MAX_PAGE_BYTES, false);
      if (!isList || !(error instanceof PageError) || error.code !== "too_large") throw error;
      return readLongList(() => read(MAX_LIST_BYTES));
    }
  };
}

/** Decided from the headers, so that a body that is not a page, such as a video, is not downloaded. */
function pageBytes(head: ResponseHead, readsRefusals: boolean): number {
  if (isRefusal(head.status)) return readsRefusals && mediaType(contentType(head)) === "html" ? MAX_PAGE_BYTES : 0;
  return isDocument(head) && ["html", "xhtml", ""].includes(mediaType(contentType(head))) ? MAX_PAGE_BYTES : 0;
}

/** True when a browser would show the response, whatever its type, as a new document: no download, and not 204. */
function isDocument(head: ResponseHead): boolean {
  if (head.status >= 400 || head.status === 204 || head.status === 205) return false;
  return !isAttachment(header(head, "content-disposition") ?? "");
}

function isSaved(head: ResponseHead): boolean {
  const isShown = /^(text|image|audio|video)\/|^$|[/+](json|xml|xhtml\+xml)$/.test(essence(contentType(head)));
  return head.status < 400 && !(isDocument(head) && isShown);
}

/** True for a response that may be a list, by its type or its name. Many servers have no type for `.xml.gz`, or that of pages. */
function isListHead(head: ResponseHead): boolean {
  const type = mediaType(contentType(head));
  if (head.status >= 400) return false;
  return (type !== "html" && mayBeList(contentType(head))) || /\.(xml|txt|gz)$/i.test(new URL(head.url).pathname);
}

type ReadOptions = { frames: boolean; references: boolean };
type Reading = ReadOptions & {
  /** Whether a redirect or a refresh led there. */
  isLedTo: boolean;
  /** undefined when lists are not read */
  maxListBytes: number | undefined;
};

async function readPage(
  response: GuardedResponse,
  { frames, references, isLedTo, maxListBytes }: Reading,
): Promise<Fetched> {
  const { url, redirects, status, body, timeLeft } = response;
  const declaration = contentType(response);
  const head = { url, redirects, status, contentType: declaration, timeLeft };
  if (body === undefined)
    return { ...head, ...retryAfter(response), kind: "other", links: [], saved: isSaved(response) };
  if (isRefusal(status)) {
    const { source } = decodeDocument(body, declaration, "html");
    return { ...head, kind: "other", links: [], signIn: weighPage(readSigns(source)) };
  }
  const declared = mediaType(declaration);
  const type = declared === "" ? sniffMediaType(body) : declared;
  const list =
    maxListBytes === undefined ? undefined : await readList(body, type, { header: declaration, url, maxListBytes });
  if (list) return { ...head, ...list };
  if ((type !== "html" && type !== "xhtml") || !isDocument(response)) return { ...head, kind: "other", links: [] };
  if (body.length > MAX_PAGE_BYTES) throw tooLarge(url, MAX_PAGE_BYTES);
  // XHTML without a valid Content-Type is still checked as XHTML.
  const receivedAs = declared === "" && type === "xhtml" ? "application/xhtml+xml" : declaration;
  const document = decodeDocument(body, receivedAs, type === "html" ? "html" : "xml");
  const utf8 = isUtf8(document.encoding) ? { utf8: body } : {};
  const options = { encoding: document.encoding.name, frames, xml: type === "xhtml" };
  const found = (references ? readLinksAndReferences : readLinks)(document.source, url, options);
  const headerRefresh = redirectOf(header(response, "refresh") ?? "", url, (target) => parseUrl(target, url))?.url;
  const refresh = headerRefresh ?? found.refresh;
  const location = contentLocation(header(response, "content-location"), url);
  const shown = shownIn(document.source, { isLedTo, hasLinks: found.links.length > 0 });
  const page = { ...head, ...location, kind: "html", document, ...utf8, ...found, ...shown } as const;
  return { ...page, ...(refresh !== undefined && { refresh }) };
}

/** What a page shows of a sign-in, and whether it shows nothing before its scripts run. */
function shownIn(
  source: string,
  { isLedTo, hasLinks }: { isLedTo: boolean; hasLinks: boolean },
): Pick<FetchedPage, "signIn" | "needsScripts"> {
  return {
    // A page that was led to may be one that shows nothing yet.
    ...((isLedTo || maySignIn(source)) && { signIn: weighPage(readSigns(source)) }),
    ...(!hasLinks && isShell(source) && { needsScripts: true }),
  };
}

/** True when the bytes equal the decoded text in UTF-8: no byte order mark, and no invalid bytes replaced. */
function isUtf8({ name, from, malformed }: DocumentEncoding): boolean {
  return name === "utf-8" && from !== "bom" && malformed === undefined;
}

/** How sitemaps begin, after comments and instructions, and lists of URLs, after comments. */
const SITEMAP =
  /^\s*(?:<\?[^>]{0,500}>\s*|<!--(?:(?!-->)[\s\S]){0,500}-->\s*){0,5}<(?:\w+:)?(?:urlset|sitemapindex)[\s>]/i;
const TEXT_LIST = /^\s*(?:#[^\r\n]*[\r\n]\s*){0,5}https?:\/\/[^\s<>"]+[ \t]*(?:[\r\n]|$)/i;
/** So much of a list is looked at to know what it is, in bytes. */
const MAX_START = 3_000;

/** The beginning of a text in UTF-8 or UTF-16, with or without a byte order mark. */
function startOfText(body: Buffer): string {
  const start = body.subarray(0, MAX_START);
  const [first, second] = start;
  const isBigEndian = (first === 0xfe && second === 0xff) || (first === 0 && second !== 0);
  const isLittleEndian = (first === 0xff && second === 0xfe) || (first !== 0 && second === 0);
  const encoding = isBigEndian ? "utf-16be" : isLittleEndian ? "utf-16le" : "utf-8";
  return new TextDecoder(encoding).decode(start);
}

async function readList(
  body: Buffer,
  type: MediaType,
  { header, url, maxListBytes }: { header: string; url: string; maxListBytes: number },
): Promise<Pick<FetchedPage, "kind" | "links" | "sitemaps" | "problems"> | undefined> {
  const isGzip = body[0] === 0x1f && body[1] === 0x8b;
  const plain = isGzip ? await unpack(body, url, maxListBytes) : body;
  const inner = isGzip || ["gzip", "unknown", "other"].includes(type) ? sniffMediaType(plain) : type;
  const start = startOfText(plain);
  // Some servers send sitemaps as HTML, with the encoding of their pages.
  const declared = isGzip || type === "html" ? "" : header;
  const isXml = inner === "xml" || SITEMAP.test(start);
  const isText = inner === "text" || TEXT_LIST.test(start);
  const read = (as: "xml" | "text"): string => decodeDocument(plain, declared, as).source;
  const list = (isXml ? parseSitemap(read("xml")) : undefined) ?? (isText ? parseTextList(read("text")) : undefined);
  if (!list) return undefined;
  const { kind, urls, sitemaps, problems } = list;
  return { kind, links: urls, sitemaps, ...(problems && { problems }) };
}

async function unpack(body: Buffer, url: string, maxBytes: number): Promise<Buffer> {
  try {
    return await promisify(gunzip)(body, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw tooLarge(url, maxBytes);
    throw new PageError("invalid_response", `${url} could not be decompressed (gzip: ${(error as Error).message}).`);
  }
}

function contentType(head: ResponseHead): string {
  return header(head, "content-type") ?? "";
}

function retryAfter(head: ResponseHead): { retryAfter?: string } {
  const value = head.status < 400 ? undefined : header(head, "retry-after");
  return value === undefined ? {} : { retryAfter: value };
}
