import { isXmlType } from "html-conformance/documents";

/** The types that Nu chooses a schema for. */
const XML_TYPES = new Set(["application/xhtml+xml", "image/svg+xml", "application/xml"]);
const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]+)/i;

/** The media type with which a document is sent to Nu, which refuses many types. */
export function mediaTypeForNu(contentType: string): string {
  const essence = contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (XML_TYPES.has(essence)) return essence;
  return isXmlType(contentType) ? "application/xml" : "text/html";
}

/** Whether a Content-Type itself says that the document is UTF-8. */
export function isDeclaredUtf8(contentType: string): boolean {
  return /^utf-?8$/i.test(CHARSET.exec(contentType)?.[1] ?? "");
}
