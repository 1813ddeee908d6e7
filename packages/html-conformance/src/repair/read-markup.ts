import { lastNotAfter } from "../last-not-after.ts";
import { lineStarts } from "../messages/line-starts.ts";
import { readTags, type Tag } from "./markup.ts";
import { readStructure, type Structure } from "./structure.ts";

/** A source as a person sees it: read once, and then asked for places without reading it again. */
export type Markup = {
  source: string;
  tags: readonly Tag[];
  structure: Structure;
  /** The index of the first tag that begins at an offset or behind it; the number of tags for none. */
  indexFrom(offset: number): number;
  /** The tag that begins at an offset. */
  tagAt(offset: number): Tag | undefined;
  /** The offsets of the line that an offset is in, without its line end. */
  lineAt(offset: number): { start: number; end: number };
};

export function readMarkup(source: string): Markup {
  const tags = readTags(source);
  const starts = lineStarts(source);
  const indexFrom = (offset: number): number => lastNotAfter(tags, ({ start }) => start, offset - 1) + 1;
  return {
    ...{ source, tags, structure: readStructure(tags), indexFrom },
    tagAt(offset) {
      const tag = tags[indexFrom(offset)];
      return tag?.start === offset ? tag : undefined;
    },
    lineAt(offset) {
      const line = Math.max(
        0,
        lastNotAfter(starts, (start) => start, offset),
      );
      const next = starts[line + 1];
      const start = starts[line] ?? 0;
      if (next === undefined) return { start, end: source.length };
      return { start, end: next - (source.startsWith("\r\n", next - 2) ? 2 : 1) };
    },
  };
}
