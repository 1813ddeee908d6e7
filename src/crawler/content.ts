import { createHash } from "node:crypto";
import { parseUrl } from "../domain/scope/url-scope.ts";

/**
 * Determines the type of a response's body as browsers do: from the
 * Content-Type header, and from the bytes only when there is no header.
 */

export type MediaType = "html" | "xhtml" | "xml" | "text" | "gzip" | "unknown" | "other";

const mediaTypes: Record<string, MediaType> = {
  "text/html": "html",
  "application/xhtml+xml": "xhtml",
  "application/xml": "xml",
  "text/xml": "xml",
  "text/plain": "text",
  "application/gzip": "gzip",
  "application/x-gzip": "gzip",
  "application/octet-stream": "unknown",
  "binary/octet-stream": "unknown",
};

/** @returns `""` if the header has no valid type: sniff the body then. Readers of lists sniff `unknown` bodies too. */
export function mediaType(contentType: string): MediaType | "" {
  const type = essence(contentType);
  if (type === "") return "";
  if (Object.hasOwn(mediaTypes, type)) return mediaTypes[type] as MediaType;
  return type.endsWith("+xml") ? "xml" : "other";
}

/** Type and subtype in lower case, without parameters; "" if there is no slash, as browsers ignore such a type. */
export function essence(contentType: string): string {
  const type = (contentType.split(";", 1)[0] ?? "").trim().toLowerCase();
  return type.includes("/") ? type : "";
}

/** True for a response that browsers save instead of showing it (RFC 6266): any disposition except `inline`. */
export function isAttachment(contentDisposition: string): boolean {
  const [type = ""] = contentDisposition.trim().split(/[\s;]/, 1);
  // Without a type there are only parameters, which browsers ignore.
  return type !== "" && !type.includes("=") && type.toLowerCase() !== "inline";
}

/** The Content-Location of a response as an absolute URL; nobody can say which document one of another origin is. */
export function contentLocation(header: string | undefined, url: string): { contentLocation?: string } {
  const location = header === undefined ? null : parseUrl(header, url);
  if (location?.origin !== new URL(url).origin) return {};
  location.hash = "";
  return { contentLocation: location.href };
}

/**
 * Equal for two responses that say that they are one document, and have the same text; as short for every header.
 *
 * @param query what the page's scripts may read, if they run; "" if not
 */
export function documentIdOf(location: string, source: string, query = ""): string {
  return createHash("sha256").update(`${location} ${query} `).update(source).digest("base64url");
}

/** The type of a body without a Content-Type: the part of the WHATWG's MIME sniffing that pages and lists need. */
export function sniffMediaType(body: Uint8Array): MediaType {
  if (body[0] === 0x1f && body[1] === 0x8b) return "gzip";
  const start = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, 1_445)).toString("latin1");
  // Byte order marks of UTF-16 and UTF-8.
  const text = start
    .replace(/^(\xfe\xff|\xff\xfe|\xef\xbb\xbf)/, "")
    .replaceAll("\0", "")
    .trimStart();
  if (/^<\?xml/i.test(text)) return /<html[\s>]/i.test(text) ? "xhtml" : "xml";
  if (/^<(!--|(!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[\s>])/i.test(text))
    return "html";
  if (/^<(urlset|sitemapindex)[\s>]/i.test(text)) return "xml";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these bytes distinguish binary data from text
  return /[\x00-\x08\x0e-\x1a\x1c-\x1f]/.test(start) ? "other" : "text";
}
