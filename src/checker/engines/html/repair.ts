import { applied, type Edit, lastNotAfter, withoutOverlaps } from "html-conformance/edits";
import {
  type ByPlace,
  createSourceLines,
  errorsByPlace,
  type Message,
  moreThan,
  placeKey,
  TOO_MANY_FINDINGS,
} from "html-conformance/messages";
import type { Document, Element } from "html-conformance/tree";
import { changeOf, type Fix } from "../../../domain/causes/changes.ts";
import { mend } from "../../../domain/causes/mend.ts";
import { elementsBySource } from "./describe-elements.ts";

/** Findings that are mended on a page: a page of thousands would need as much time again. */
const MAX_REPAIRS = 2_000;
/** Longer sources are not checked again. */
const MAX_LENGTH = 1_000_000;

/**
 * Makes the changes that mend a document's errors in a copy of its source, all at once, and checks that.
 *
 * @param tree the document, parsed with the positions in `source`
 * @param check the messages of another source
 * @returns for each message whether it is an error that is gone in the copy; none is if the copy has an error that
 *   the document has not
 */
export function repairedMessages(
  { source, tree, messages }: { source: string; tree: Document; messages: readonly Message[] },
  check: (source: string) => readonly Message[],
): boolean[] {
  const none = messages.map(() => false);
  if (source.length > MAX_LENGTH || messages.some(({ rule }) => rule === TOO_MANY_FINDINGS)) return none;
  const { edits, mended, areTried } = editsFor(source, tree, messages);
  if (areTried) return messages.map((_, index) => mended.has(index));
  const known = errorsByPlace(source, messages);
  const left = leftIn(source, edits, known, check);
  if (!left) return none;
  const lines = createSourceLines(source);
  // Of several equal ones at one place, as many are gone as are missing in the copy.
  const gone = new Map([...moreThan(known, left)].map(([place, more]) => [place, more.length]));
  return messages.map((message, index) => {
    const place = placeKey(lines.startOf(message), message);
    const number = gone.get(place) ?? 0;
    if (message.type !== "error" || !mended.has(index) || number <= 0) return false;
    gone.set(place, number - 1);
    return true;
  });
}

/** A change that brings a new error is taken back, and the others are tried again: so often. */
const MAX_TRIES = 3;

/** The errors of the copy, by place; undefined if no changes are left that bring no new ones. */
function leftIn(
  source: string,
  all: readonly Edit[],
  known: ByPlace,
  check: (source: string) => readonly Message[],
): ByPlace | undefined {
  let edits = all;
  for (let tries = 0; tries < MAX_TRIES && edits.length > 0; tries++) {
    const copy = applied(source, edits);
    const left = errorsByPlace(copy.source, check(copy.source), copy.offsetIn);
    const added = moreThan(left, known);
    if (added.size === 0) return left;
    const bringers = new Set(
      [...added.keys()].map((place) => lastNotAfter(edits, ({ start }) => start, Number.parseInt(place, 10))),
    );
    edits = edits.filter((_, index) => !bringers.has(index) && !(bringers.has(-1) && index === 0));
  }
  return undefined;
}

const MISSING_DOCTYPE = "parse/missing-doctype";

function editsFor(
  source: string,
  tree: Document,
  messages: readonly Message[],
): {
  edits: Edit[];
  /** The errors that they mend. */
  mended: Set<number>;
  /** All of them are the engine's, which has tried them. */
  areTried: boolean;
} {
  const lines = createSourceLines(source);
  const elementAt = elementsBySource(tree);
  const tags = new Map<Element, { markup: string; end?: string }>();
  const edits: Edit[] = [];
  const mended = new Set<number>();
  let areTried = true;
  /** @returns false where the fix does not fit */
  const mendTag = (fix: Fix, message: Message, start: number, nth: number): boolean => {
    const element = elementAt(start);
    const tag = element?.sourceCodeLocation?.startTag;
    if (!element || !tag || (tag.startOffset !== start && fix.kind !== "remove_attribute")) return false;
    const before = tags.get(element) ?? { markup: source.slice(tag.startOffset, tag.endOffset) };
    const after = mend(fix, { markup: before.markup, message: message.message, nth });
    if (after) tags.set(element, { ...before, ...after });
    return after !== undefined;
  };
  for (const [index, message] of messages.entries()) {
    if (message.type !== "error" || mended.size >= MAX_REPAIRS) continue;
    if (message.fix || message.causedBy !== undefined) {
      // The engine has found what mends it, and in what follows from it there is nothing to mend.
      edits.push(...(message.fix?.edits ?? []));
      mended.add(index);
      continue;
    }
    const { fix } = changeOf("html", message.rule).change;
    if (!fix) continue;
    const [start, end] = [lines.startOf(message), lines.offsetOf(message.lastLine, message.lastColumn) + 1];
    const edit = editAt(fix, message.rule, { source, start, end });
    if (edit) edits.push(edit);
    if (!edit && !mendTag(fix, message, start, index + 2)) continue;
    mended.add(index);
    areTried = false;
  }
  return { edits: withoutOverlaps([...edits, ...[...tags].flatMap(editsOfTag)]), mended, areTried };
}

/** The change at the place itself; undefined for one of the element's tags. */
function editAt(
  fix: Fix,
  rule: string,
  { source, start, end }: { source: string; start: number; end: number },
): Edit | undefined {
  if (fix.kind === "append") return { start: end, end, text: fix.text };
  if (fix.kind === "remove") return { start, end: endOfTag(source, start, end), text: "" };
  // A list without a description at its end is known when that is reached.
  if (fix.kind === "description" && source.startsWith("</", start)) return { start, end: start, text: "<dd></dd>" };
  if (fix.kind !== "doctype") return undefined;
  return { ...(rule === MISSING_DOCTYPE ? { start: 0, end: 0 } : { start, end }), text: "<!DOCTYPE html>" };
}

/** A processing instruction is reported at its name: it ends with its tag. */
function endOfTag(source: string, start: number, end: number): number {
  return source.startsWith("<?", start) ? source.indexOf(">", start) + 1 || end : end;
}

function editsOfTag([element, { markup, end }]: [Element, { markup: string; end?: string }]): Edit[] {
  const { startTag, endTag } = element.sourceCodeLocation ?? {};
  return [
    ...(startTag ? [{ start: startTag.startOffset, end: startTag.endOffset, text: markup }] : []),
    ...(end !== undefined && endTag ? [{ start: endTag.startOffset, end: endTag.endOffset, text: `</${end}>` }] : []),
  ];
}
