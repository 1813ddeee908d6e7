import { lineStarts } from "html-conformance/messages";
import type { Coordinates } from "../../domain/findings/findings.ts";
import { type Part, partsOf, type Span } from "./line-parts.ts";

/** The place of a finding in a source, and its number on the page. */
export type Place = { number: number } & Pick<Coordinates, "first_line" | "first_column" | "last_line" | "last_column">;

export type ShownLine = {
  /** From 1. */
  line: number;
  parts: readonly Part[];
  /** The findings that begin in this line. */
  numbers: readonly number[];
};

/** Consecutive lines. */
export type Excerpt = readonly ShownLine[];

/** Limits of what is shown of a source: a page decides how many findings it has, and how long its lines are. */
export const excerptLimits = {
  /** Findings that are marked. */
  places: 200,
  /** Lines in all. */
  lines: 300,
  /** Lines before and after those of a finding. */
  context: 2,
  /** Lines of one finding: its beginning says which element it is. */
  linesOfPlace: 5,
  /** UTF-16 units in all. */
  length: 30_000,
};

/**
 * The lines of a source that have findings, with a few around them.
 *
 * @param places in any order; those of lines that the source does not have are left out
 * @returns the excerpts in the order of the source, and how many places are not in them
 */
export function excerptsOf(
  source: string,
  places: readonly Place[],
  limits = excerptLimits,
): { excerpts: Excerpt[]; left: number } {
  const starts = lineStarts(source);
  const inOrder = places
    .filter(({ first_line }) => first_line >= 1 && first_line <= starts.length)
    .sort(
      (a, b) => a.first_line - b.first_line || (a.first_column ?? 1) - (b.first_column ?? 1) || a.number - b.number,
    );
  const textOf = (line: number) => textOfLine(source, starts, line);
  const excerpts: ShownLine[][] = [];
  let shown = 0;
  let left = places.length - inOrder.length;
  const budget = { lines: limits.lines, length: limits.length };
  for (const [first, last, ofRange] of rangesOf(inOrder.slice(0, limits.places), starts.length, limits)) {
    const lines: ShownLine[] = [];
    for (let line = first; line <= last && budget.lines > 0 && budget.length > 0; line++) {
      const text = textOf(line);
      const parts = partsOf(
        text,
        ofRange.flatMap((place) => spanIn(place, line, text.length, limits)),
      );
      const numbers = ofRange.filter(({ first_line }) => first_line === line).map(({ number }) => number);
      lines.push({ line, parts, numbers });
      shown += numbers.length;
      budget.lines -= 1;
      budget.length -= parts.reduce((sum, part) => sum + part.text.length, 1);
    }
    if (lines.some(({ numbers }) => numbers.length > 0)) excerpts.push(lines);
  }
  left += inOrder.length - shown;
  return { excerpts, left };
}

type Range = [first: number, last: number, places: Place[]];

/** The lines of each place and those around it; ranges that touch are joined. */
function rangesOf(places: readonly Place[], count: number, { context, linesOfPlace }: typeof excerptLimits): Range[] {
  const ranges: Range[] = [];
  for (const place of places) {
    const end = Math.min(place.last_line, place.first_line + linesOfPlace - 1);
    const first = Math.max(1, place.first_line - context);
    const last = Math.min(count, Math.max(place.first_line, end) + context);
    const before = ranges.at(-1);
    if (before && first <= before[1] + 1) {
      before[1] = Math.max(before[1], last);
      before[2].push(place);
    } else ranges.push([first, last, [place]]);
  }
  return ranges;
}

/** The part of a line that a finding is about. A finding about a whole line has no first column. */
function spanIn(place: Place, line: number, length: number, { linesOfPlace }: typeof excerptLimits): Span[] {
  const { first_line, first_column, last_line, last_column } = place;
  if (line < first_line || line > last_line || line >= first_line + linesOfPlace) return [];
  const start = line === first_line ? (first_column ?? 1) - 1 : 0;
  const end = line === last_line ? last_column : length;
  return [{ start: Math.min(Math.max(0, start), length), end: Math.min(Math.max(start, end), length) }];
}

/** A line without its end. */
function textOfLine(source: string, starts: readonly number[], line: number): string {
  const text = source.slice(starts[line - 1], starts[line]);
  return text.replace(/\r?\n$|\r$/, "");
}
