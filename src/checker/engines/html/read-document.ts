import type { HtmlDocument } from "html-conformance/documents";
import { readRegularFile } from "../../../files/read-regular-file.ts";
import type { Causes, HtmlFile } from "./port.ts";

/** The document itself; a file is read. @throws Error of the file system */
export async function readDocument(document: (HtmlDocument & Causes) | HtmlFile): Promise<HtmlDocument & Causes> {
  if (!("file" in document)) return document;
  // Loaded only for files. What decodes bytes cannot be part of a snapshot.
  const { decodeFile } = await import("html-conformance/documents");
  const { file, url, contentType, causes } = document;
  return { url, ...(causes !== undefined && { causes }), ...decodeFile(await readRegularFile(file), contentType) };
}
