import { decodeDocument, type HtmlDocument, isXmlType } from "html-conformance/documents";
import { readRegularFile } from "../../../files/read-regular-file.ts";
import type { HtmlFile } from "./port.ts";

/** The document itself; a file is read. @throws Error of the file system */
export async function readDocument(document: HtmlDocument | HtmlFile): Promise<HtmlDocument> {
  if (!("file" in document)) return document;
  const { file, url, contentType } = document;
  return decodeFile(await readRegularFile(file), url, contentType);
}

/** Decodes a file. Without a declaration it is in UTF-8, because there is no server that could have declared it. */
export function decodeFile(bytes: Uint8Array, url: string, contentType: string): HtmlDocument {
  const kind = isXmlType(contentType) ? "xml" : "html";
  const decoded = decodeDocument(bytes, contentType, kind);
  if (decoded.encoding.from !== "default") return { url, ...decoded };
  const { source, encoding } = decodeDocument(bytes, `${contentType};charset=utf-8`, kind);
  return { url, contentType, source, encoding };
}
