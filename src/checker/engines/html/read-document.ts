import type { HtmlDocument } from "html-conformance/documents";
import { readRegularFile } from "../../../files/read-regular-file.ts";
import type { HtmlFile } from "./port.ts";

/** The document itself; a file is read. @throws Error of the file system */
export async function readDocument(document: HtmlDocument | HtmlFile): Promise<HtmlDocument> {
  if (!("file" in document)) return document;
  // Loaded only for files. What decodes bytes cannot be part of a snapshot.
  const { decodeFile } = await import("html-conformance/documents");
  const { file, url, contentType } = document;
  return { url, ...decodeFile(await readRegularFile(file), contentType) };
}
