import { lastNotAfter } from "../last-not-after.ts";

export { lastNotAfter };

/** A part of a source that is replaced, by offsets in UTF-16 units. */
export type Edit = { start: number; end: number; text: string };

/** The same with its places in lines and columns, from 1; the end is behind the last character that is replaced. */
export type PlacedEdit = Edit & { startLine: number; startColumn: number; endLine: number; endColumn: number };

/** What is missing, superfluous or mistaken. */
export type FixKind = "quote" | "tag" | "end tag" | "start tag" | "attribute" | "reference" | "doctype" | "comment";

/** A change that was tried in a copy of the source. */
export type Fix = {
  kind: FixKind;
  /** What is done, for people: `insert " at 12:34`. */
  title: string;
  /** By offsets in the source, in UTF-16 units. */
  edits: readonly PlacedEdit[];
  /** Findings that go. */
  removes: number;
};

/** Edits in the order of the source, without those that overlap with one before them. */
export function withoutOverlaps(edits: readonly Edit[]): Edit[] {
  let last = 0;
  return edits
    .toSorted((a, b) => a.start - b.start || a.end - b.end)
    .filter(({ start, end }) => {
      if (start < last) return false;
      last = end;
      return true;
    });
}

/**
 * @param edits in the order of the source, without overlaps
 * @returns the copy, and where a place in it is in the source: in a part that was replaced, at its beginning
 */
export function applied(
  source: string,
  edits: readonly Edit[],
): { source: string; offsetIn: (offset: number) => number } {
  const pieces: string[] = [];
  const shifts: { from: number; to: number; original: number; delta: number }[] = [];
  let [at, length] = [0, 0];
  for (const { start, end, text } of edits) {
    pieces.push(source.slice(at, start), text);
    const from = length + start - at;
    length = from + text.length;
    shifts.push({ from, to: length, original: start, delta: end - length });
    at = end;
  }
  pieces.push(source.slice(at));
  return {
    source: pieces.join(""),
    offsetIn: (offset) => {
      const shift = shifts[lastNotAfter(shifts, ({ from }) => from, offset)];
      if (!shift) return offset;
      return offset < shift.to ? shift.original : offset + shift.delta;
    },
  };
}

/** Where a place of a source is in its copy. @param edits in the order of the source, without overlaps */
export function movedBy(edits: readonly Edit[]): (offset: number) => number {
  return (offset) => {
    let moved = offset;
    for (const { start, end, text } of edits) {
      if (end <= offset) moved += text.length - (end - start);
      else if (start < offset) moved -= offset - start;
    }
    return moved;
  };
}
