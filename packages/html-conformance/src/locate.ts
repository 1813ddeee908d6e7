import type { Finding } from "./finding.ts";
import type { SourceLines } from "./messages/source-lines.ts";
import { type Element, isElement, type Node } from "./tree.ts";

/** Offsets in the source: of the first character, and after the last one. */
export type Range = { start: number; end: number };

const MORE_THAN_SPACE = /[^ \t\n\r\f]/;
/** A character reference, or a "<" that does not begin a tag, as in raw text. */
const BREAK = /&(?:#[xX]?[0-9a-fA-F]+|[a-zA-Z][a-zA-Z0-9]*);?|</g;
/** The longest tag that is searched for at the end of an element without an end tag. */
const MAX_TAG = 10_000;
const MAX_STEPS = 1_000;

/**
 * Where the Nu checker reports a finding: an element at its start tag, missing content at its end tag or at
 * the tag that ends it, text at each piece between tags, comments and character references.
 */
export function locate(finding: Finding, source: string, lines: SourceLines): Range[] {
  const { element, node, place, atEnd } = finding;
  if (place) {
    const start = lines.offsetOf(place.line, place.column);
    return [{ start, end: start + 1 }];
  }
  if (node?.sourceCodeLocation) return pieces(source, node.sourceCodeLocation);
  if (atEnd) return [endOf(element, source)];
  return [startOf(element, source)];
}

function startOf(element: Element, source: string): Range {
  const at = element.sourceCodeLocation;
  const tag = at && "startTag" in at && at.startTag ? at.startTag : at;
  return tag ? { start: tag.startOffset, end: tag.endOffset } : following(element, source);
}

function endOf(element: Element, source: string): Range {
  const at = element.sourceCodeLocation;
  if (!at) return following(element, source);
  if (at.endTag) return { start: at.endTag.startOffset, end: at.endTag.endOffset };
  const start = "startTag" in at ? at.startTag : undefined;
  // A tag that ends with "/>" is start and end.
  if (start?.endOffset === at.endOffset && source.startsWith("/>", at.endOffset - 2))
    return { start: start.startOffset, end: start.endOffset };
  return tagAt(source, at.endOffset);
}

/** An element without tags begins and ends where the next thing in the source does. */
function following(element: Element, source: string): Range {
  let node: Node | undefined = element;
  for (let steps = 0; node && steps < MAX_STEPS; steps++) {
    const at: Node["sourceCodeLocation"] = node.sourceCodeLocation;
    if (at && isElement(node)) return startOf(node, source);
    if (at) return { start: at.startOffset, end: at.endOffset };
    node = next(node);
  }
  return tagAt(source, source.length);
}

/** The node after this one in document order. */
function next(node: Node): Node | undefined {
  if (isElement(node) && node.childNodes[0]) return node.childNodes[0];
  for (let up: Node | null = node; up; ) {
    const parent: Node["parentNode"] = "parentNode" in up ? up.parentNode : null;
    if (!parent) return undefined;
    const sibling = parent.childNodes[parent.childNodes.indexOf(up) + 1];
    if (sibling) return sibling;
    up = isElement(parent) ? parent : null;
  }
  return undefined;
}

/** The tag at an offset; the last character at the end of the file. */
function tagAt(source: string, offset: number): Range {
  if (offset >= source.length) return { start: source.length - 1, end: source.length };
  let quote = "";
  const last = Math.min(source.length, offset + MAX_TAG);
  for (let at = offset + 1; source[offset] === "<" && at < last; at++) {
    const character = source.charAt(at);
    if (quote !== "") {
      if (character === quote) quote = "";
    } else if (character === ">") return { start: offset, end: at + 1 };
    else if (character === '"' || character === "'") quote = character;
  }
  return { start: offset, end: offset + 1 };
}

function pieces(source: string, { startOffset, endOffset }: { startOffset: number; endOffset: number }): Range[] {
  const text = source.slice(startOffset, endOffset);
  const found: Range[] = [];
  let from = 0;
  const add = (to: number): void => {
    if (MORE_THAN_SPACE.test(text.slice(from, to))) found.push({ start: startOffset + from, end: startOffset + to });
    from = to;
  };
  for (const { 0: found, index } of text.matchAll(BREAK)) {
    add(index);
    if (found !== "<") add(index + found.length);
  }
  add(text.length);
  return found.length > 0 ? found : [{ start: startOffset, end: endOffset }];
}
