/** How the bytes of a document were decoded. */
export type DocumentEncoding = {
  /** The name of the Encoding Standard, in lower case: `utf-8`. */
  name: string;
  /** The source of that information: a byte order mark, the Content-Type header, the document itself, or none. */
  from: "bom" | "header" | "meta" | "default";
  /** How many sequences of bytes were not valid in it; each became a U+FFFD. */
  malformed?: number;
};

/** A document as text, with what is known about its encoding. */
export type DecodedDocument = {
  source: string;
  /** The value of the Content-Type header; "" without one: then the document is HTML. */
  contentType: string;
  /** Left out if unknown. */
  encoding?: DocumentEncoding;
};

/** A document for an HTML engine. */
export type HtmlDocument = DecodedDocument & { url: string };

const XML_TYPE = /^(?:application\/xml|text\/xml|[^;\s]+\+xml)$/;

/** True for a Content-Type whose documents are XML: XHTML and SVG. @see MIME Sniffing Standard, 4.6 */
export function isXmlType(contentType: string): boolean {
  return XML_TYPE.test(contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "");
}
