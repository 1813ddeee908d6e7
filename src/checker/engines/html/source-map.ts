import type { Coordinates } from "../../../domain/findings.ts";

/** Characters of the source before and after the highlighted part, as in Nu's messages. */
const CONTEXT_LENGTH = 20;
/** Limits the extract: a finding may be about a whole element, and pages are hostile. */
const MAX_HIGHLIGHT_LENGTH = 200;

export type Located = { extract: string; coordinates: Coordinates };

/**
 * Turns offsets into a source into lines, columns and extracts. Lines and columns
 * count from 1, `last_column` is the last character's own; a line ends at CRLF, LF or
 * CR, as in the HTML standard. Characters are UTF-16 units, as in JavaScript and in
 * Nu's messages.
 */
export function createSourceMap(source: string): (offset: number, size: number) => Located {
  const lines = lineStarts(source);
  const position = (offset: number): { line: number; column: number } => {
    const line = lastNotAfter(lines, offset);
    return { line: line + 1, column: offset - (lines[line] ?? 0) + 1 };
  };

  return (offset, size) => {
    const start = clamp(Math.trunc(offset), 0, Math.max(0, source.length - 1));
    const end = clamp(start + Math.max(1, Math.trunc(size)), start, source.length);
    const first = position(start);
    const last = position(Math.max(start, end - 1));
    const from = notInsidePair(source, start, Math.max(0, start - CONTEXT_LENGTH), 1);
    const shownEnd = notInsidePair(source, end, Math.min(end, start + MAX_HIGHLIGHT_LENGTH), -1);
    const to = notInsidePair(source, shownEnd, Math.min(source.length, shownEnd + CONTEXT_LENGTH), -1);
    return {
      extract: source.slice(from, to),
      coordinates: {
        first_line: first.line,
        last_line: last.line,
        first_column: first.column,
        last_column: last.column,
        hilite_start: start - from,
        hilite_length: shownEnd - start,
      },
    };
  };
}

/** Offset of the first character of each line. */
function lineStarts(source: string): number[] {
  const starts = [0];
  for (const { 0: text, index } of source.matchAll(/\r\n|\n|\r/g)) starts.push(index + text.length);
  return starts;
}

/** Index of the last number that is not greater than `value`. The numbers ascend, and the first is never greater. */
function lastNotAfter(numbers: number[], value: number): number {
  let low = 0;
  let high = numbers.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((numbers[middle] ?? 0) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Moves a cut out of a surrogate pair, because half a character cannot be stored. Leaves a cut that the finding itself sets. */
function notInsidePair(source: string, given: number, cut: number, step: 1 | -1): number {
  if (cut === given || cut <= 0 || cut >= source.length) return cut;
  const after = source.charCodeAt(cut);
  const before = source.charCodeAt(cut - 1);
  return after >= 0xdc00 && after <= 0xdfff && before >= 0xd800 && before <= 0xdbff ? cut + step : cut;
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
