import { HTML_NAMES, MATHML_NAMES, SVG_NAMES } from "../assertions/unknown-elements.ts";
import { VOID } from "../tree.ts";
import type { Tag } from "./markup.ts";

/** A start tag without an end tag so far, in the one around it. */
export type Open = { tag: Tag; parent: Open | undefined };

/** An element whose end tag is not there: where another end tag, or the end of the source, has ended it. */
export type Unclosed = Open & { endedBy: Tag | undefined };

/** How start tags and end tags belong together by their names alone. */
export type Structure = {
  /** In the order in which they were ended. */
  unclosed: readonly Unclosed[];
  /** End tags of what is not open, in the order of the source. */
  stray: readonly Tag[];
};

/** In lower case, as a tag's name is. */
const ELEMENTS: ReadonlySet<string> = new Set(
  [...HTML_NAMES, ...SVG_NAMES, ...MATHML_NAMES].map((name) => name.toLowerCase()),
);

const LONGEST = Math.max(...[...ELEMENTS].map(({ length }) => length));

/** Whether there may be such an element: those of pages have a hyphen. */
export function mayBeElement(name: string): boolean {
  return ELEMENTS.has(name) || name.includes("-");
}

/** The elements whose names a name begins with, the longest first. */
export function namesAtBeginning(name: string): string[] {
  const found: string[] = [];
  for (let length = Math.min(name.length, LONGEST); length > 0; length--)
    if (ELEMENTS.has(name.slice(0, length))) found.push(name.slice(0, length));
  return found;
}

/** Elements that end by themselves. */
const OPTIONAL = new Set(
  "html head body p li dt dd tr td th thead tbody tfoot colgroup caption option optgroup rt rp".split(" "),
);
/** No element is nested deeper in a document that a person has written. */
const MAX_DEPTH = 500;
/** A page with more of them has no mistakes that are undone one by one. */
const MAX_UNCLOSED = 1_000;

export function readStructure(tags: readonly Tag[]): Structure {
  const unclosed: Unclosed[] = [];
  const stray: Tag[] = [];
  let [open, depth]: [Open | undefined, number] = [undefined, 0];
  const numberOf = new Map<string, number>();
  /** Ends the innermost element. @param endedBy what is no end tag of its own */
  const end = (last: Open, endedBy?: { tag: Tag | undefined }): void => {
    const { tag, parent } = last;
    [open, depth] = [parent, depth - 1];
    numberOf.set(tag.name, (numberOf.get(tag.name) ?? 0) - 1);
    if (endedBy && !OPTIONAL.has(tag.name) && unclosed.length < MAX_UNCLOSED)
      unclosed.push({ tag, parent, endedBy: endedBy.tag });
  };
  for (const tag of tags) {
    if (!tag.isEnd) {
      if (VOID.has(tag.name) || tag.isEmpty || depth >= MAX_DEPTH) continue;
      [open, depth] = [{ tag, parent: open }, depth + 1];
      numberOf.set(tag.name, (numberOf.get(tag.name) ?? 0) + 1);
    } else if ((numberOf.get(tag.name) ?? 0) === 0) stray.push(tag);
    else {
      while (open && open.tag.name !== tag.name) end(open, { tag });
      if (open) end(open);
    }
  }
  while (open) end(open, { tag: undefined });
  return { unclosed, stray };
}
