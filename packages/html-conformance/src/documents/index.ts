/** How documents are read: their types, and their bytes as text. */
export { contentTypeOf, fileExtensions } from "./content-type.ts";
export { decodeDocument, decodeFile, encodingOfText } from "./decode-document.ts";
export { type DecodedDocument, type DocumentEncoding, type HtmlDocument, isXmlType } from "./html-document.ts";
export { filesIn } from "./list-files.ts";
