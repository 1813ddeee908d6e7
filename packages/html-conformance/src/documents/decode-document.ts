import htmlEncodingSniffer from "html-encoding-sniffer";
import { type DecodedDocument, type DocumentEncoding, isXmlType } from "./html-document.ts";

const CHARSET = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i;

/**
 * Decodes the bytes of a document as browsers do.
 *
 * @param contentType the value of the Content-Type header, or ""
 * @param kind where the document itself may declare its encoding: nowhere in plain text
 * @see HTML Standard, 13.2.3.2 Determining the character encoding
 */
export function decodeDocument(
  bytes: Uint8Array,
  contentType: string,
  kind: "html" | "xml" | "text",
): Required<DecodedDocument> {
  const found = CHARSET.exec(contentType);
  const { sniffed, from } = sniff(bytes, found?.[1] ?? found?.[2], kind);
  const decoder = decoderOf(sniffed);
  const source = decoder.decode(bytes);
  const malformed = source.includes("\uFFFD") ? countMalformed(source, bytes, decoder.encoding) : 0;
  const encoding: DocumentEncoding = { name: decoder.encoding, from, ...(malformed > 0 && { malformed }) };
  return { source, contentType, encoding };
}

/** Decodes a file. Without a declaration it is in UTF-8, because there is no server that could have declared it. */
export function decodeFile(bytes: Uint8Array, contentType: string): Required<DecodedDocument> {
  const kind = isXmlType(contentType) ? "xml" : "html";
  const decoded = decodeDocument(bytes, contentType, kind);
  if (decoded.encoding.from !== "default") return decoded;
  return { ...decodeDocument(bytes, `${contentType};charset=utf-8`, kind), contentType };
}

/**
 * How a browser determined the encoding of an HTML document that it decoded.
 *
 * @param name the encoding: `document.characterSet`
 */
export function encodingOfText(source: string, contentType: string, name: string): DocumentEncoding {
  const found = CHARSET.exec(contentType);
  const { from } = sniff(Buffer.from(source.slice(0, 1_024)), found?.[1] ?? found?.[2], "html");
  // A browser drops the byte order mark, and no Unicode encoding is its default.
  const hadMark = from === "default" && /^utf-/i.test(name);
  return { name: name.toLowerCase(), from: hadMark ? "bom" : from };
}

function sniff(bytes: Uint8Array, label: string | undefined, kind: "html" | "xml" | "text") {
  const encodingOf = (from: Uint8Array, options: object): string =>
    htmlEncodingSniffer(from, {
      ...(kind === "xml" ? { xml: true } : {}),
      ...(kind === "text" ? { maxPrescanBytes: 0 } : {}),
      defaultEncoding: "",
      ...options,
    });
  const header = label === undefined ? {} : { transportLayerEncodingLabel: label };
  const sniffed = encodingOf(bytes, header);
  if (sniffed === "") return { sniffed: kind === "html" ? "windows-1252" : "UTF-8", from: "default" } as const;
  if (hasByteOrderMark(bytes)) return { sniffed, from: "bom" } as const;
  // Without bytes to look into, only the header can tell.
  return { sniffed, from: encodingOf(new Uint8Array(), header) === "" ? "meta" : "header" } as const;
}

function hasByteOrderMark([first, second, third]: Uint8Array): boolean {
  if (first === 0xef) return second === 0xbb && third === 0xbf;
  return (first === 0xfe && second === 0xff) || (first === 0xff && second === 0xfe);
}

function decoderOf(encoding: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(encoding);
  } catch {
    // Node does not support `replacement` and `x-user-defined`. Browsers cannot show readable text for these either.
    return new TextDecoder();
  }
}

/** A U+FFFD may also be in the document itself. */
function countMalformed(source: string, bytes: Uint8Array, encoding: string): number {
  const written = encoding === "utf-8" ? occurrences(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), 3) : 0;
  return Math.max(0, occurrences(source, 1) - written);
}

/** @param length of a U+FFFD in it */
function occurrences(text: string | Buffer, length: number): number {
  let count = 0;
  for (let at = text.indexOf("\uFFFD"); at >= 0; at = text.indexOf("\uFFFD", at + length)) count++;
  return count;
}
