import { parseFragment, type Token } from "parse5";
import type { ParseProblem } from "./problem.ts";

const REFERENCE = /&[A-Za-z0-9]{1,40};/g;
const known = new Map<string, boolean>();
const MAX_KNOWN = 10_000;

/**
 * Ambiguous ampersands in the values of attributes, of which parse5's tokenizer reports those in text only.
 *
 * @see HTML Standard, 13.1.4 Character references, and 13.2.5.73 Ambiguous ampersand state
 */
export function checkReferences(source: string, token: Token.TagToken, report: (problem: ParseProblem) => void): void {
  for (const { name, value } of token.attrs) {
    if (!value.includes("&")) continue;
    const place = token.location?.attrs?.[name];
    if (!place) continue;
    for (const { 0: found, index } of source.slice(place.startOffset, place.endOffset).matchAll(REFERENCE)) {
      if (isKnown(found)) continue;
      const start = place.startOffset + index;
      report({ code: "unknown-named-character-reference", start, end: start + found.length });
    }
  }
}

/** Whether it, or its beginning, is a character reference. */
function isKnown(reference: string): boolean {
  let is = known.get(reference);
  if (is === undefined) {
    const [text] = parseFragment(reference).childNodes;
    is = !text || !("value" in text) || text.value !== reference;
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(reference, is);
  }
  return is;
}
