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

/** What is not asked for is not read. */
export function readMarkup(source: string): Markup {
  let read: { tags: readonly Tag[]; structure: Structure; starts: readonly number[] } | undefined;
  const markup = () => {
    if (read) return read;
    const tags = readTags(source);
    read = { tags, structure: readStructure(tags), starts: lineStarts(source) };
    return read;
  };
  const indexFrom = (offset: number): number => lastNotAfter(markup().tags, ({ start }) => start, offset - 1) + 1;
  return {
    source,
    get tags() {
      return markup().tags;
    },
    get structure() {
      return markup().structure;
    },
    indexFrom,
    tagAt(offset) {
      const tag = markup().tags[indexFrom(offset)];
      return tag?.start === offset ? tag : undefined;
    },
    lineAt(offset) {
      const { starts } = markup();
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
