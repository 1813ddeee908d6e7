import { decodeFile, type HtmlDocument } from "html-conformance/documents";
import { readRegularFile } from "../../../files/read-regular-file.ts";
import type { HtmlFile } from "./port.ts";

/** The document itself; a file is read. @throws Error of the file system */
export async function readDocument(document: HtmlDocument | HtmlFile): Promise<HtmlDocument> {
  if (!("file" in document)) return document;
  const { file, url, contentType } = document;
  return { url, ...decodeFile(await readRegularFile(file), contentType) };
}
