import type { Edit } from "html-conformance/edits";
import { createSourceLines, lineStarts } from "html-conformance/messages";
import { UsageError } from "../domain/errors.ts";
import { plural } from "../domain/plural.ts";

/**
 * A change of a source as clients apply it: `old` stands at line and column and becomes `new`. Both count from 1; columns are
 * UTF-16 units.
 */
export type TextEdit = { line: number; column: number; old: string; new: string };

/** @param edits by offsets in the source */
export function textEdits(source: string, edits: readonly Edit[]): TextEdit[] {
  const lines = createSourceLines(source);
  return edits.map(({ start, end, text }) => ({ ...lines.pointOf(start), old: source.slice(start, end), new: text }));
}

/**
 * The edits by offsets, in the order of the source.
 *
 * @throws UsageError for an edit whose `old` does not stand where it says, and for edits that overlap
 */
export function editsOf(source: string, given: readonly TextEdit[]): Edit[] {
  const lines = createSourceLines(source);
  const starts = lineStarts(source);
  const edits = given.map(({ line, column, old, new: text }) => {
    const start = lines.offsetOf(line, column);
    const end = start + old.length;
    const found = source.slice(start, end);
    const refused = (why: string) =>
      new UsageError(
        `The edit at ${line}:${column} replaces ${JSON.stringify(old.slice(0, 100))}, and ${why}. Check the source again: edits are for the source that was checked.`,
      );
    if (line > starts.length) throw refused(`there are ${plural(starts.length, "line")}`);
    if (start >= (starts[line] ?? source.length + 1)) throw refused(`the line ends before that`);
    if (found !== old) throw refused(`${JSON.stringify(found.slice(0, 100))} stands there`);
    return { start, end, text };
  });
  const sorted = edits.toSorted((a, b) => a.start - b.start || a.end - b.end);
  const overlap = sorted.findIndex(({ start }, index) => index > 0 && start < (sorted[index - 1]?.end ?? 0));
  if (overlap < 0) return sorted;
  const place = given[edits.indexOf(sorted[overlap] as Edit)];
  throw new UsageError(
    `The edit at ${place?.line}:${place?.column} overlaps with another one; give them one after the other.`,
  );
}
