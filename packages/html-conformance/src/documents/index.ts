/** How the bytes of a document are read. */
export { decodeDocument, encodingOfText } from "./decode-document.ts";
export { type DecodedDocument, type DocumentEncoding, type HtmlDocument, isXmlType } from "./html-document.ts";
