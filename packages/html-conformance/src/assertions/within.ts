/** The HTML elements that affect their descendants, one bit each. */
const NAMES = [
  "a",
  "button",
  "address",
  "body",
  "caption",
  "dfn",
  "dt",
  "figcaption",
  "figure",
  "footer",
  "form",
  "header",
  "label",
  "map",
  "noscript",
  "th",
  "progress",
  "meter",
] as const;

export type Around = (typeof NAMES)[number];

const bits = new Map<string, number>(NAMES.map((name, i) => [name, 1 << i]));

/** Any of `<h1>` to `<h6>`. */
export const WITHIN_HEADING = 1 << NAMES.length;
/** `<article>`, `<aside>`, `<main>`, `<nav>` or `<section>`. */
export const WITHIN_SECTIONING = 1 << (NAMES.length + 1);
/** An `<a>` with `href`. */
export const WITHIN_LINK = 1 << (NAMES.length + 2);
/** A `<label>` with `for`. */
export const WITHIN_LABEL_FOR = 1 << (NAMES.length + 3);

for (const name of ["h1", "h2", "h3", "h4", "h5", "h6"]) bits.set(name, WITHIN_HEADING);
for (const name of ["article", "aside", "main", "nav", "section"]) bits.set(name, WITHIN_SECTIONING);

/** The bits that an HTML element adds for those inside of it. */
export function marksOf(name: string): number {
  return bits.get(name) ?? 0;
}

export function within(...names: readonly Around[]): number {
  return names.reduce((mask, name) => mask | marksOf(name), 0);
}

/** The elements that a mask of `within` names. */
export function namesOf(mask: number): string[] {
  return NAMES.filter((name) => mask & marksOf(name));
}
