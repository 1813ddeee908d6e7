import { promisify } from "node:util";
import { constants, gunzip } from "node:zlib";
import { decodeDocument } from "../domain/documents/decode-document.ts";
import type { DocumentEncoding } from "../domain/documents/html-document.ts";
import { PageError } from "../domain/failure.ts";
import { tooLarge } from "../net/decompress.ts";
import type { GuardedFetch, GuardedResponse, ResponseHead } from "../net/guarded-fetch.ts";
import { type MediaType, mediaType, sniffMediaType } from "./content.ts";
import type { FetchedPage, PageFetcher } from "./page-fetcher.ts";
import { readLinks } from "./page-links.ts";
import { mayBeList, parseSitemap, parseTextList } from "./url-list.ts";

const MAX_PAGE_BYTES = 10_000_000;
/** The sitemap protocol allows 50 MB. */
const MAX_LIST_BYTES = 50_000_000;

/** Fetches pages by HTTP alone: no script runs. */
export function createStaticFetcher(http: GuardedFetch): PageFetcher {
  return {
    async fetch(url, { signal, beforeRequest, lists = false }) {
      const response = await http.get(url, {
        signal,
        beforeRequest,
        maxBytes: (head) => bytesWanted(head, lists),
      });
      return readPage(response, lists);
    },
    close: () => http.close(),
  };
}

/** Decided from the headers, so that a body that is not a page, such as a video, is not downloaded. */
function bytesWanted(head: ResponseHead, lists: boolean): number {
  if (head.status >= 400) return 0;
  const type = mediaType(contentType(head));
  if (type === "html" || type === "xhtml") return MAX_PAGE_BYTES;
  if (lists && mayBeList(contentType(head))) return MAX_LIST_BYTES;
  return type === "" ? MAX_PAGE_BYTES : 0;
}

async function readPage(response: GuardedResponse, lists: boolean): Promise<FetchedPage> {
  const { url, redirects, status, body } = response;
  const declaration = contentType(response);
  const head = { url, redirects, status, contentType: declaration };
  if (body === undefined) return { ...head, ...retryAfter(response), kind: "other", links: [] };
  const declared = mediaType(declaration);
  const type = declared === "" ? sniffMediaType(body) : declared;
  const list = lists ? await readList(body, type, declaration, url) : undefined;
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
  header: string,
  url: string,
): Promise<Pick<FetchedPage, "kind" | "links" | "sitemaps"> | undefined> {
  const isGzip = body[0] === 0x1f && body[1] === 0x8b && (type === "gzip" || type === "unknown");
  const plain = isGzip ? await unpack(body, url) : body;
  const inner = type === "gzip" || type === "unknown" ? sniffMediaType(plain) : type;
  // Some servers send sitemaps as HTML.
  const isXml =
    inner === "xml" || /^\s*(<\?xml[^>]*>\s*)?<(urlset|sitemapindex)[\s>]/.test(plain.toString("latin1", 0, 500));
  if (!isXml && inner !== "text") return undefined;
  const text = decodeDocument(plain, isGzip ? "" : header, isXml ? "xml" : "text").source;
  const list = isXml ? parseSitemap(text) : parseTextList(text);
  return list && { kind: list.kind, links: list.urls, sitemaps: list.sitemaps };
}

async function unpack(body: Buffer, url: string): Promise<Buffer> {
  try {
    return await promisify(gunzip)(body, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MAX_LIST_BYTES });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw tooLarge(url, MAX_LIST_BYTES);
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

function header({ headers }: ResponseHead, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.at(-1) : value;
}
