import type { Attribute, Element, Node } from "./tree.ts";

/** What is wrong at one place, before it is given its position in the source. */
export type Finding = {
  severity: "error" | "warning";
  /** Stable and kebab-case; what it is about may follow a slash: `element-not-allowed`, `bad-value/href`. */
  rule: string;
  /** What is wrong, what was found and what is allowed; names of elements in `<…>`, values in double quotes. */
  message: string;
  /** The part of the standard that says so, as a URL with its fragment. */
  section: string;
  /** The element whose start tag is meant, or its end tag. */
  element: Element;
  /** The attribute that is meant, where there is one. */
  attribute?: Attribute | undefined;
  /** The text that is meant, where it is not the element itself. */
  node?: Node;
  /** Something missing is found at the end. */
  atEnd?: boolean;
  /** The place in the element's text, where that is what is wrong: lines and columns in the source, from 1. */
  place?: { line: number; column: number };
};

/** Takes findings as they are made. */
export type Report = (finding: Finding) => void;

/** The HTML Standard, with a section's fragment. */
export function htmlSection(fragment: string): string {
  return `https://html.spec.whatwg.org/multipage/${fragment}`;
}
