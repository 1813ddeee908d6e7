import { promisify } from "node:util";
import { constants, gunzip } from "node:zlib";
import { type DocumentEncoding, decodeDocument } from "html-conformance/documents";
import { PageError } from "../domain/failure.ts";
import { tooLarge } from "../net/decompress.ts";
import type { GuardedFetch, GuardedResponse, ResponseHead } from "../net/guarded-fetch.ts";
import { header } from "../net/request.ts";
import { limitConcurrency } from "../time/limit-concurrency.ts";
import { type MediaType, mediaType, sniffMediaType } from "./content.ts";
import type { FetchedPage, PageFetcher } from "./page-fetcher.ts";
import { readLinks } from "./page-links.ts";
import { mayBeList, parseSitemap, parseTextList } from "./url-list.ts";

const MAX_PAGE_BYTES = 10_000_000;
/** The sitemap protocol allows 50 MB. */
const MAX_LIST_BYTES = 50_000_000;
/** A longer response than a page is kept in memory several times: as received, unpacked and decoded. */
const MAX_LONG_LISTS = 2;

/**
 * Fetches pages by HTTP alone: no script runs. A list that is longer than a page may be is requested again, when few
 * others are being read: its length is known only when it has been received and unpacked.
 */
export function createStaticFetcher(http: GuardedFetch): PageFetcher {
  const readLongList = limitConcurrency(MAX_LONG_LISTS);
  return {
    async fetch(url, { signal, beforeRequest, lists = false }) {
      let isList = false;
      const read = async (maxListBytes: number): Promise<FetchedPage> => {
        const maxBytes = (head: ResponseHead): number => {
          isList = lists && isListHead(head);
          return isList ? maxListBytes : pageBytes(head);
        };
        return readPage(await http.get(url, { signal, beforeRequest, maxBytes }), lists ? maxListBytes : undefined);
      };
      try {
        return await read(MAX_PAGE_BYTES);
      } catch (error) {
        if (!isList || !(error instanceof PageError) || error.code !== "too_large") throw error;
        return readLongList(() => read(MAX_LIST_BYTES));
      }
    },
    close: () => http.close(),
  };
}

/** Decided from the headers, so that a body that is not a page, such as a video, is not downloaded. */
function pageBytes(head: ResponseHead): number {
  return head.status < 400 && ["html", "xhtml", ""].includes(mediaType(contentType(head))) ? MAX_PAGE_BYTES : 0;
}

/** True for a response that may be a list, but not for a page by its type. */
function isListHead(head: ResponseHead): boolean {
  const type = mediaType(contentType(head));
  return head.status < 400 && type !== "html" && type !== "xhtml" && mayBeList(contentType(head));
}

/** @param maxListBytes undefined when lists are not read */
async function readPage(response: GuardedResponse, maxListBytes: number | undefined): Promise<FetchedPage> {
  const { url, redirects, status, body } = response;
  const declaration = contentType(response);
  const head = { url, redirects, status, contentType: declaration };
  if (body === undefined) return { ...head, ...retryAfter(response), kind: "other", links: [] };
  const declared = mediaType(declaration);
  const type = declared === "" ? sniffMediaType(body) : declared;
  const list =
    maxListBytes === undefined ? undefined : await readList(body, type, { header: declaration, url, maxListBytes });
  if (list) return { ...head, ...list };
  if (type !== "html" && type !== "xhtml") return { ...head, kind: "other", links: [] };
  if (body.length > MAX_PAGE_BYTES) throw tooLarge(url, MAX_PAGE_BYTES);
  // XHTML without a valid Content-Type is still checked as XHTML.
  const receivedAs = declared === "" && type === "xhtml" ? "application/xhtml+xml" : declaration;
  const document = decodeDocument(body, receivedAs, type === "html" ? "html" : "xml");
  const utf8 = isUtf8(document.encoding) ? { utf8: body } : {};
  return { ...head, kind: "html", document, ...utf8, ...readLinks(document.source, url) };
}

/** True when the bytes equal the decoded text in UTF-8: no byte order mark, and no invalid bytes replaced. */
function isUtf8({ name, from, malformed }: DocumentEncoding): boolean {
  return name === "utf-8" && from !== "bom" && malformed === undefined;
}

async function readList(
  body: Buffer,
  type: MediaType,
  { header, url, maxListBytes }: { header: string; url: string; maxListBytes: number },
): Promise<Pick<FetchedPage, "kind" | "links" | "sitemaps"> | undefined> {
  const isGzip = body[0] === 0x1f && body[1] === 0x8b && (type === "gzip" || type === "unknown");
  const plain = isGzip ? await unpack(body, url, maxListBytes) : body;
  const inner = type === "gzip" || type === "unknown" ? sniffMediaType(plain) : type;
  // Some servers send sitemaps as HTML.
  const isXml =
    inner === "xml" || /^\s*(<\?xml[^>]*>\s*)?<(urlset|sitemapindex)[\s>]/.test(plain.toString("latin1", 0, 500));
  if (!isXml && inner !== "text") return undefined;
  const text = decodeDocument(plain, isGzip ? "" : header, isXml ? "xml" : "text").source;
  const list = isXml ? parseSitemap(text) : parseTextList(text);
  return list && { kind: list.kind, links: list.urls, sitemaps: list.sitemaps };
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
