import { type Document, type Element, isElement, type Node } from "../tree.ts";
import { codePoint } from "./parse-finding.ts";
import type { ParseProblem } from "./problem.ts";

type Report = (problem: ParseProblem) => void;

const PRIVATE_USE = /[\uE000-\uF8FF]|[\uDB80-\uDBFF][\uDC00-\uDFFF]/;
const NOT_ASCII = /[^\0-\x7f]/;
const OTHER_REFERENCE = /&(?!(?:amp|lt|gt|quot|nbsp|copy|ndash|mdash|hellip|raquo|laquo);)[#a-z]/i;
const MAX_QUOTE_LENGTH = 60;
/** Characters that compose with one before them although they are not marks that are reordered. */
const COMPOSING_BASE =
  /^[\u09BE\u09D7\u0B3E\u0B56\u0B57\u0BBE\u0BD7\u0CC2\u0CD5\u0CD6\u0D3E\u0D57\u0DCF\u0DDF\u102E\u1161-\u1175\u11A8-\u11C2\u1B35]/;

/** Warns of the first character for private use. */
export function checkPrivateUse(source: string, report: Report): void {
  const found = PRIVATE_USE.exec(source);
  if (!found) return;
  const { index: start } = found;
  report({ code: "private-use-character", start, end: start + found[0].length, found: codePoint(found[0]) });
}

/** Warns of text and values that are not in Unicode Normalization Form C. */
export function checkNormalization(document: Document, source: string, report: Report): void {
  // ASCII is normalized, unless it refers to other characters.
  if (!NOT_ASCII.test(source) && !OTHER_REFERENCE.test(source)) return;
  const rest: Node[] = [...document.childNodes];
  for (let node = rest.pop(); node; node = rest.pop()) {
    if (node.nodeName === "#text" && "value" in node) checkText(node, report);
    if (!isElement(node)) continue;
    checkAttributes(node, report);
    const { childNodes } = "content" in node ? (node as unknown as { content: Document }).content : node;
    for (const child of childNodes) rest.push(child);
  }
}

function checkText(node: Extract<Node, { value: string }>, report: Report): void {
  const { value, sourceCodeLocation: at } = node;
  if (!at || !NOT_ASCII.test(value)) return;
  const { startOffset: start, endOffset: end } = at;
  if (startsWithComposing(value)) report({ code: "composing-character-first", start, end, found: codePoint(value) });
  const normalized = value.normalize("NFC");
  if (normalized !== value)
    report({
      code: "text-not-normalized",
      start,
      end,
      found: `"${normalized.trim().slice(0, MAX_QUOTE_LENGTH)}"`,
    });
}

function checkAttributes({ attrs, sourceCodeLocation }: Element, report: Report): void {
  const at = sourceCodeLocation?.startTag ?? sourceCodeLocation;
  if (!at) return;
  const { startOffset: start, endOffset: end } = at;
  for (const { name, value } of attrs) {
    if (!NOT_ASCII.test(value)) continue;
    if (startsWithComposing(value))
      report({ code: "attribute-composing-character-first", start, end, name, found: codePoint(value) });
    if (value.normalize("NFC") !== value) report({ code: "attribute-not-normalized", start, end, name });
  }
}

/** True when the first character combines with one before it: by composition, or by reordering of marks. */
function startsWithComposing(text: string): boolean {
  const first = String.fromCodePoint(text.codePointAt(0) ?? 0);
  if (first < "\u0300") return false;
  if (COMPOSING_BASE.test(first)) return true;
  if (!/^\p{M}/u.test(first)) return false;
  // U+0334 has the lowest class of a mark that is reordered, U+0345 the highest.
  return (
    `${first}\u0334`.normalize("NFD").startsWith("\u0334") ||
    `\u0345${first}`.normalize("NFD") !== `\u0345${first}` ||
    first === "\u0345" ||
    first === "\u0334"
  );
}
