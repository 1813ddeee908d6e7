import { lastNotAfter } from "../last-not-after.ts";
import { lineStarts } from "./line-starts.ts";
import type { Place } from "./message.ts";

/** Characters shown before and after the part in question, as in the Nu checker. */
const SHOWN_BEFORE = 10;
const SHOWN_AFTER = 6;
/** A tag may be 10 MB long, and have a thousand findings. */
const MAX_HILITE = 2_000;

/** Turns offsets into a source into lines, columns and extracts. Lines end at CRLF, LF or CR; columns are UTF-16 units. */
export type SourceLines = {
  /** @param start offset of the first character @param end offset after the last one */
  placeOf(start: number, end: number): Place;
  /** The line and column of an offset, both from 1; that of the end is behind the last character. */
  pointOf(offset: number): { line: number; column: number };
  /** The offset of a line and column, both from 1. */
  offsetOf(line: number, column: number): number;
  /** The offset at which a message begins. */
  startOf(message: Pick<Place, "firstLine" | "lastLine" | "firstColumn" | "lastColumn">): number;
};

export function createSourceLines(source: string): SourceLines {
  let starts: readonly number[] | undefined;
  const lines = (): readonly number[] => {
    starts ??= lineStarts(source);
    return starts;
  };
  const lineOf = (offset: number): number => lastNotAfter(lines(), (start) => start, offset);
  const lineStart = (line: number): number => lines()[line] ?? 0;
  const offsetOf = (line: number, column: number): number => lineStart(line - 1) + column - 1;

  return {
    placeOf(start, end) {
      const from = clamp(start, 0, Math.max(0, source.length - 1));
      const to = clamp(end, from + 1, Math.max(from + 1, source.length));
      const firstLine = lineOf(from);
      const lastLine = lineOf(to - 1);
      const firstColumn = from - lineStart(firstLine) + 1;
      const lastColumn = to - lineStart(lastLine);
      return {
        lastLine: lastLine + 1,
        ...(firstLine !== lastLine && { firstLine: firstLine + 1 }),
        lastColumn,
        ...((firstLine !== lastLine || firstColumn !== lastColumn) && { firstColumn }),
        ...extract(source, from, to),
      };
    },
    pointOf(offset) {
      const line = lineOf(offset);
      return { line: line + 1, column: offset - lineStart(line) + 1 };
    },
    offsetOf,
    startOf: ({ firstLine, lastLine, firstColumn, lastColumn }) =>
      offsetOf(firstLine ?? lastLine, firstColumn ?? lastColumn),
  };
}

function extract(source: string, from: number, to: number) {
  const shownEnd = notInPair(source, Math.min(to, from + MAX_HILITE));
  // A line end of two characters counts as one.
  const before = asLines(source.slice(Math.max(0, from - 2 * SHOWN_BEFORE), from)).slice(-SHOWN_BEFORE);
  const hilite = asLines(source.slice(from, shownEnd));
  const after = asLines(source.slice(shownEnd, shownEnd + 2 * SHOWN_AFTER)).slice(0, SHOWN_AFTER);
  const start = isLow(before.charCodeAt(0)) ? before.slice(1) : before;
  const end = isHigh(after.charCodeAt(after.length - 1)) ? after.slice(0, -1) : after;
  return { extract: `${start}${hilite}${end}`, hiliteStart: start.length, hiliteLength: hilite.length };
}

function asLines(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

/** Moves a cut so that it does not halve a surrogate pair. */
function notInPair(text: string, cut: number): number {
  const halves = cut > 0 && cut < text.length && isLow(text.charCodeAt(cut)) && isHigh(text.charCodeAt(cut - 1));
  return halves ? cut - 1 : cut;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
