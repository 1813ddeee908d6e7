import { type Document, type Element, isElement, VOID } from "../tree.ts";
import type { Edit } from "./edits.ts";
import type { Markup } from "./read-markup.ts";

/**
 * A part of a source as a document of its own: in the elements that it is in. What is wrong in a part of a long page is
 * found in it as well, in less time.
 */
export type Region = {
  source: string;
  /** Edits of the whole, in the part. */
  shifted: (edits: readonly Edit[]) => Edit[];
  /** How much further on an offset is in the part than in the whole. */
  offset: number;
  /** Where it is in the whole. */
  from: number;
  to: number;
};

/** A tree of a source, of which there may be a changed copy by now. */
export type Parsed = { tree: Document; source: string; offsetIn: (offset: number) => number };

/** A shorter source is checked as a whole. */
const WHOLE = 6_000;
const BEFORE = 800;
const BEHIND = 2_500;
/** The most of a page that an element without an end makes a part. */
const MOST = 30_000;

/**
 * The part around a range.
 *
 * @param parsed the document with its places in the source that it was made of, and where an offset of this source is in that
 * @param end how far what is there reaches
 */
export function regionAround(
  { source, tags, indexFrom }: Markup,
  parsed: Parsed,
  { start, end }: { start: number; end: number },
): Region {
  const wanted = Math.max(0, start - BEFORE);
  const first = tags
    .slice(0, indexFrom(wanted + 1))
    .findLast((tag) => !tag.isEnd && tag.name !== "html" && tag.name !== "head");
  const last = tags[indexFrom(Math.min(end + BEHIND, start + MOST))];
  const from = first?.start ?? 0;
  const to = last?.start ?? source.length;
  const around = ancestorsAt(parsed.tree, parsed.offsetIn(from));
  const isHead = around.some(({ tagName }) => tagName === "head");
  const opened = around.flatMap(({ sourceCodeLocation: at }) =>
    at?.startTag ? [parsed.source.slice(at.startTag.startOffset, at.startTag.endOffset)] : [],
  );
  const prefix = `<!DOCTYPE html>${opened.join("")}`;
  if (source.length <= WHOLE || from === 0 || isHead || prefix.length + to - from > 0.7 * source.length)
    return { source, shifted: (edits) => [...edits], offset: 0, from: 0, to: source.length };
  const closed = around.map(({ tagName }) => (VOID.has(tagName) ? "" : `</${tagName}>`)).reverse();
  const offset = prefix.length - from;
  return {
    source: prefix + source.slice(from, to) + closed.join(""),
    shifted: (edits) => edits.map((edit) => ({ ...edit, start: edit.start + offset, end: edit.end + offset })),
    ...{ offset, from, to },
  };
}

/** The elements of a tree in which an offset of its source is, from the root. */
export function ancestorsAt(tree: Document, offset: number): Element[] {
  const found: Element[] = [];
  for (let at: Document | Element | undefined = tree; at; ) {
    const inner: Element | undefined = at.childNodes.find((node): node is Element => {
      const place = isElement(node) ? node.sourceCodeLocation : undefined;
      const begin = place?.startTag?.endOffset ?? place?.endOffset ?? 0;
      return place != null && begin <= offset && offset < (place.endTag?.startOffset ?? place.endOffset);
    });
    if (inner) found.push(inner);
    at = inner;
  }
  return found;
}
