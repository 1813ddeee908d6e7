import type { Tag } from "./markup.ts";

/** An element whose end tag is not there: where another end tag, or the end of the source, has ended it. */
export type Unclosed = { tag: Tag; endedBy: Tag | undefined; parents: readonly Tag[] };

/** How start tags and end tags belong together by their names alone. */
export type Structure = { unclosed: Unclosed[]; stray: { tag: Tag; open: readonly Tag[] }[] };

export const VOID = new Set(
  "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr".split(" "),
);
/** Elements that a mistyped or torn tag may have been meant for. */
export const ELEMENTS: readonly string[] = [
  ...VOID,
  ...(
    "a abbr address article aside audio b bdi bdo blockquote body button canvas caption cite code colgroup data datalist dd del details dfn " +
    "dialog div dl dt em fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup html i iframe ins kbd label legend li " +
    "main map mark menu meter nav noscript object ol optgroup option output p picture pre progress q rp rt ruby s samp script search " +
    "section select slot small span strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr u ul " +
    "var video math g path circle rect line text defs use symbol"
  ).split(" "),
];
const KNOWN = new Set(ELEMENTS);

/** Whether there may be such an element: those of pages have a hyphen. */
export function mayBeElement(name: string): boolean {
  return KNOWN.has(name) || name.includes("-");
}

/** Elements that end by themselves. */
const OPTIONAL = new Set(
  "html head body p li dt dd tr td th thead tbody tfoot colgroup caption option optgroup rt rp".split(" "),
);
/** No element is nested deeper in a document that a person has written. */
const MAX_DEPTH = 500;

export function readStructure(tags: readonly Tag[]): Structure {
  const open: Tag[] = [];
  const structure: Structure = { unclosed: [], stray: [] };
  const endOf = (count: number, endedBy: Tag | undefined): void => {
    for (let left = count; left > 0; left--) {
      const tag = open.pop() as Tag;
      if (!OPTIONAL.has(tag.name)) structure.unclosed.push({ tag, endedBy, parents: [...open] });
    }
  };
  for (const tag of tags) {
    if (!tag.isEnd) {
      if (!VOID.has(tag.name) && !tag.isEmpty && open.length < MAX_DEPTH) open.push(tag);
      continue;
    }
    const at = open.findLastIndex(({ name }) => name === tag.name);
    if (at === -1) structure.stray.push({ tag, open: [...open] });
    else {
      endOf(open.length - at - 1, tag);
      open.pop();
    }
  }
  endOf(open.length, undefined);
  return structure;
}
