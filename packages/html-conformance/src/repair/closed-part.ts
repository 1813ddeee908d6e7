import type { Document } from "../tree.ts";
import type { Edit } from "./edits.ts";
import { ancestorsAt, type Region } from "./region.ts";
import type { Known, Tried } from "./try-edits.ts";

/** What is opened again behind a part although nothing of it is open there. */
const REOPENED = /<(?:a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)[\s/>]/i;
/** What the rest of a document depends on in other ways than by being open. */
const REMEMBERED = /form|html|body|head|frameset|plaintext|template|svg|math/i;

/**
 * Whether a change in a part of a source changes nothing behind the part: its parser is in the same state there. Where that is
 * not certain, it is false.
 *
 * @param before the tree and the messages of the part without the change
 * @param one the part with the change
 */
export function staysInPart(
  region: Region,
  whole: string,
  edits: readonly Edit[],
  before: { tree: Document; known: readonly Known[] },
  one: Tried,
): boolean {
  if (region.to === whole.length) return true;
  if (edits.some(({ start, end, text }) => REMEMBERED.test(text) || REMEMBERED.test(whole.slice(start, end))))
    return false;
  const isOpen = ({ message: { rule, extract } }: Known): boolean =>
    /^parse\/(?:eof-|end-of-file-in)/.test(rule) || (rule === "parse/unclosed-element" && REOPENED.test(extract));
  if (before.known.some(isOpen) || one.left.some(isOpen)) return false;
  const end = region.to + region.offset;
  const after = end + one.text.length - region.source.length;
  const old = ancestorsAt(before.tree, end);
  const now = ancestorsAt(one.tree, after);
  return (
    old.length === now.length &&
    old.every(({ tagName, sourceCodeLocation: at }, index) => {
      const other = now[index];
      const start = other?.sourceCodeLocation?.startOffset;
      return other?.tagName === tagName && start !== undefined && one.offsetIn(start) === at?.startOffset;
    })
  );
}
