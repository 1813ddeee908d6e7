import type { DocumentEncoding } from "../documents/html-document.ts";
import { attribute, type Element } from "../tree.ts";
import type { ParseProblem } from "./problem.ts";

/** An encoding must be declared within this many bytes. */
const DECLARATION_BYTES = 1024;
const CHARSET = /(?:^|[\s;])charset\s*=\s*("[^"]*"|'[^']*'|[^\s;"']+)/i;

type Report = (problem: ParseProblem) => void;

/**
 * What is wrong with the encoding of an HTML document, and with its declarations.
 *
 * @see HTML Standard, 4.2.5.4 Specifying the document's character encoding
 */
export function checkEncoding(
  source: string,
  metas: readonly Element[],
  encoding: DocumentEncoding | undefined,
  contentType: string | undefined,
  report: Report,
): void {
  const label = charsetOf(contentType ?? "");
  const whole = { start: 0, end: 0 };
  if (label !== undefined && encodingOf(label) === undefined)
    report({ code: "unknown-encoding", ...whole, name: label });
  if (encoding?.from === "default") report({ code: "undeclared-encoding", ...whole, name: encoding.name });
  else if (encoding && encoding.name !== "utf-8") report({ code: "encoding-not-utf-8", ...whole, name: encoding.name });
  for (const meta of metas) checkDeclaration(source, meta, encoding, report);
  if (encoding?.malformed) reportMalformed(source, encoding, encoding.malformed, report);
}

const XML_DECLARATION = /^\uFEFF?<\?xml\s[^?>]{0,200}?encoding\s*=\s*["']([^"']+)["'][^?>]{0,200}\?>/;
/** Encodings that every XML parser knows; the first is a subset of UTF-8. */
const XML_ENCODINGS = /^(?:us-ascii|utf-8|utf-16(?:le|be)?)$/i;

/**
 * What is wrong with the encoding of an XML document, and with its declaration. Other encodings than UTF-8 are allowed.
 *
 * @see XML 1.0, 4.3.3 Character Encoding in Entities
 */
export function checkXmlEncoding(
  source: string,
  encoding: DocumentEncoding | undefined,
  contentType: string | undefined,
  report: Report,
): void {
  const label = charsetOf(contentType ?? "");
  if (label !== undefined && encodingOf(label) === undefined)
    report({ code: "unknown-encoding", start: 0, end: 0, name: label });
  const [declaration, name] = XML_DECLARATION.exec(source) ?? [];
  if (declaration && name) {
    const place = { start: 0, end: declaration.length, name };
    if (label !== undefined && label.toLowerCase() !== name.toLowerCase())
      report({ code: "xml-encoding-conflict", ...place, found: label });
    else if (label === undefined && encodingOf(name) === undefined) report({ code: "unknown-encoding", ...place });
    else if (!XML_ENCODINGS.test(name)) report({ code: "xml-encoding-not-utf", ...place });
  }
  if (encoding?.malformed) reportMalformed(source, encoding, encoding.malformed, report);
}

function checkDeclaration(source: string, meta: Element, encoding: DocumentEncoding | undefined, report: Report): void {
  const label = declaredBy(meta);
  const at = meta.sourceCodeLocation?.startTag ?? meta.sourceCodeLocation;
  if (label === undefined || !at) return;
  const place = { start: at.startOffset, end: at.endOffset };
  if (isLate(source, at.endOffset, encoding)) report({ code: "late-encoding-declaration", ...place });
  const declared = encodingOf(label);
  if (declared === undefined) report({ code: "unknown-encoding", ...place, name: label });
  else if (declared.startsWith("utf-16")) report({ code: "encoding-declaration-of-utf-16", ...place, name: label });
  else if (encoding && declared !== encoding.name)
    report({ code: "encoding-conflict", ...place, name: label, found: encoding.name });
}

/** The encoding that a meta element declares, as it is written. */
function declaredBy(meta: Element): string | undefined {
  const charset = attribute(meta, "charset");
  if (charset !== undefined) return charset.trim();
  if (attribute(meta, "http-equiv")?.toLowerCase() !== "content-type") return undefined;
  return charsetOf(attribute(meta, "content") ?? "");
}

function charsetOf(contentType: string): string | undefined {
  return CHARSET.exec(contentType)?.[1]?.replace(/^["']|["']$/g, "");
}

function isLate(source: string, end: number, encoding: DocumentEncoding | undefined): boolean {
  if (end > DECLARATION_BYTES) return true;
  const isUtf8 = (encoding?.name ?? "utf-8") === "utf-8";
  return isUtf8 && Buffer.byteLength(source.slice(0, end)) > DECLARATION_BYTES;
}

function encodingOf(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

function reportMalformed(source: string, { name }: DocumentEncoding, count: number, report: Report): void {
  let left = count;
  for (let at = source.indexOf("\uFFFD"); at >= 0 && left > 0; at = source.indexOf("\uFFFD", at + 1)) {
    report({ code: "malformed-bytes", start: at, end: at + 1, found: name });
    left -= 1;
  }
}
