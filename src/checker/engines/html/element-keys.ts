import { createSourceLines, isNote, type Message } from "html-conformance/messages";
import type { Document, Element } from "html-conformance/tree";
import { type ElementKey, elementKey } from "../../../domain/identity/element-key.ts";
import { describeElement, elementsBySource } from "./describe-elements.ts";

/** Rules of all engines about the document as a whole: the places of their findings mean nothing. */
const OF_DOCUMENT =
  /(?:^|\/)missing-doctype$|-without-seeing-a-doctype-first$|^too-many-findings$|^not-checked-further$/;

/**
 * The key of the element that each message is about, in the messages' order; null for a message about no element, such
 * as a missing DOCTYPE, and for a note.
 *
 * @param tree the document, parsed with the positions in `source`
 */
export function elementKeys(
  tree: Document,
  { source, url }: { source: string; url: string },
  messages: readonly Message[],
): (ElementKey | null)[] {
  if (messages.length === 0) return [];
  const lines = createSourceLines(source);
  const elementAt = elementsBySource(tree);
  const origin = URL.parse(url)?.origin ?? "";
  const known = new Map<Element, ElementKey>();
  return messages.map((message) => {
    const { rule, lastLine, lastColumn, firstLine = lastLine, firstColumn = lastColumn } = message;
    if (OF_DOCUMENT.test(rule) || isNote(message)) return null;
    const element = elementAt(lines.offsetOf(firstLine, firstColumn));
    if (!element) return null;
    const key = known.get(element) ?? elementKey(describeElement(element), origin);
    known.set(element, key);
    return key;
  });
}
