import { type DocumentEncoding, isXmlType } from "./documents/html-document.ts";
import { checkNormalization, checkPrivateUse } from "./parsing/characters.ts";
import { checkEncoding, checkXmlEncoding } from "./parsing/encoding.ts";
import { type ParseFinding, toFinding } from "./parsing/parse-finding.ts";
import { type ParsedHtml, parseHtml } from "./parsing/parse-html.ts";
import { createCollector, type ParseProblem } from "./parsing/problem.ts";
import { parseXml } from "./parsing/xml/parse-xml.ts";
import { checkControls, checkFormFeeds } from "./parsing/xml-mapping.ts";
import { type Document, type Element, HTML, isElement, SVG } from "./tree.ts";

export { isXmlType } from "./documents/html-document.ts";

/** A document to check: its decoded text, and what is known about its encoding and type. */
export type DocumentInput = {
  source: string;
  /** The value of the Content-Type header; without one the document is HTML. */
  contentType?: string;
  encoding?: DocumentEncoding;
};

/** What the document is written in, which decides the grammar it is compared with. "unknown" is not checked further. */
export type DocumentLanguage = "html" | "xhtml" | "svg" | "unknown";

export type ParsedDocument = {
  document: Document;
  problems: ParseFinding[];
  /** How many more there are of kinds that have too many, each with one of them. */
  unlisted: { finding: ParseFinding; count: number }[];
  language: DocumentLanguage;
  /**
   * Where in the source the parser first moved something to another place in the tree; later findings may be
   * consequences of that.
   */
  movedFrom: number | undefined;
  /** Elements whose end was not read, because the parse ended before it. */
  unended: ReadonlySet<Element>;
};

const BYTE_ORDER_MARK = "\uFEFF";

/** Parses a document by its content type, and finds faults in its syntax, characters and encoding. */
export function parseDocument({ source: given, contentType, encoding }: DocumentInput): ParsedDocument {
  // A byte order mark that is still there is not part of the text; a space keeps the offsets.
  const source = given.startsWith(BYTE_ORDER_MARK) ? ` ${given.slice(1)}` : given;
  const isXml = isXmlType(contentType ?? "");
  const parsed = isXml ? parseXml(given) : parseHtml(source);
  const { problems, unlisted, report } = createCollector();
  const { document, metas, movedFrom, unended } = parsed;
  checkNormalization(document, source, report);
  if (isXml) {
    checkControls(source, report);
    checkXmlEncoding(source, encoding, contentType, report);
  } else {
    checkPrivateUse(source, report);
    checkFormFeeds(source, report);
    checkEncoding(source, metas, encoding, contentType, report);
  }
  const language = isXml ? languageOf(parsed, report) : "html";
  const all = [...parsed.problems, ...problems].sort(byPlace);
  const beyond = [...parsed.unlisted.values(), ...unlisted.values()];
  return {
    document,
    problems: all.map((problem) => toFinding(problem, source)),
    unlisted: beyond.map(({ problem, count }) => ({ finding: toFinding(problem, source), count })),
    language,
    movedFrom,
    unended,
  };
}

function languageOf({ document, problems }: ParsedHtml, report: (problem: ParseProblem) => void): DocumentLanguage {
  const root: Element | undefined = document.childNodes.find(isElement);
  if (root?.namespaceURI === HTML) return "xhtml";
  if (root?.namespaceURI === SVG) return "svg";
  if (root && problems.length === 0) {
    const at = root.sourceCodeLocation?.startTag;
    const place = { start: at?.startOffset ?? 0, end: at?.endOffset ?? 0 };
    report({ code: "unknown-root-element", ...place, name: `<${root.tagName}>` });
  }
  return "unknown";
}

function byPlace(a: ParseProblem, b: ParseProblem): number {
  return a.start - b.start || a.end - b.end;
}
