import { grouped, placeKey } from "../messages/by-place.ts";
import { type FoundMessage, isNote } from "../messages/message.ts";
import { createSourceLines } from "../messages/source-lines.ts";
import type { Document } from "../tree.ts";
import { applied, type Edit, movedBy } from "./edits.ts";

export type Checked = { messages: readonly FoundMessage[]; tree: Document };

/** What is found in a source; of "parse" at least what its parser says. */
export type Check = (source: string, part?: "parse") => Checked;

/** A message with its offsets, and its place in the list for the original source; -1 for one that is new. */
export type Known = { message: FoundMessage; start: number; end: number; origin: number };

/** A changed copy, and what is found in it. */
export type Tried = {
  text: string;
  tree: Document;
  /** By their offsets before the change. */
  gone: Known[];
  added: Known[];
  left: Known[];
  /** Where a place in the copy is in the source. */
  offsetIn: (offset: number) => number;
};

export const isOfParser = ({ message }: Pick<Known, "message">): boolean => message.rule.startsWith("parse/");
/** The note behind which nothing is reported (engine.ts). */
export const isEnd = ({ message }: Pick<Known, "message">): boolean => message.rule === "not-checked-further";

/** Just what the parser says. */
export function parserOf(check: Check): Check {
  return (source) => {
    const { messages, tree } = check(source, "parse");
    return { messages: messages.filter((message) => isOfParser({ message })), tree };
  };
}

export function tryEdits(source: string, edits: readonly Edit[], known: readonly Known[], check: Check): Tried {
  const copy = applied(source, edits);
  const before = grouped(known, ({ start, message }) => placeKey(start, message));
  // What comes behind was not looked at.
  const unread = known.find(isEnd)?.start ?? source.length;
  const added: Known[] = [];
  const { messages, tree } = check(copy.source);
  const left = placed(copy.source, messages).map((one): Known => {
    const same = before.get(placeKey(copy.offsetIn(one.start), one.message))?.shift();
    const found = { ...one, origin: same ? same.origin : -1 };
    if (!same && one.message.type === "error" && copy.offsetIn(one.start) <= unread) added.push(found);
    return found;
  });
  const gone = [...before.values()].flat().filter(({ message }) => !isNote(message));
  return { text: copy.source, tree, gone, added, left, offsetIn: copy.offsetIn };
}

/** What is gone in a part of a source, and how much further on its offsets are than those of the source. */
type Part = { gone: readonly Known[]; offset: number };

/** What a change does to a source by what it does to a part of it. */
export function knownByPart(
  source: string,
  edits: readonly Edit[],
  known: readonly Known[],
  { gone: inPart, offset }: Part,
): Pick<Tried, "text" | "gone" | "left" | "offsetIn"> {
  const copy = applied(source, edits);
  const moved = movedBy(edits);
  const goneAt = grouped(inPart, ({ start, message }) => placeKey(start - offset, message));
  const gone: Known[] = [];
  const left: Known[] = [];
  for (const one of known) {
    if (goneAt.get(placeKey(one.start, one.message))?.shift()) gone.push(one);
    else left.push({ ...one, start: moved(one.start), end: moved(one.end) });
  }
  return { text: copy.source, gone, left, offsetIn: copy.offsetIn };
}

/** The same, where what the parser says is looked at in the whole again. */
export function tryInWhole(
  source: string,
  edits: readonly Edit[],
  known: readonly Known[],
  { gone: inPart, offset }: Part,
  parse: Check,
): Tried {
  const parsed = tryEdits(source, edits, known.filter(isOfParser), parse);
  const isOther = (one: Known): boolean => !isOfParser(one);
  const others = knownByPart(source, edits, known.filter(isOther), { gone: inPart.filter(isOther), offset });
  return {
    ...parsed,
    gone: [...parsed.gone, ...others.gone],
    left: [...parsed.left, ...others.left].toSorted((a, b) => a.start - b.start),
  };
}

/** Messages with their offsets. */
export function placed(source: string, messages: readonly FoundMessage[]): Known[] {
  const lines = createSourceLines(source);
  return messages.map((message, origin) => {
    const start = lines.startOf(message);
    return { message, start, end: lines.offsetOf(message.lastLine, message.lastColumn) + 1, origin };
  });
}
