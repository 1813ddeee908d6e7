import type { Attribute, Element, Node } from "./tree.ts";

/** What is wrong at one place, before its position in the source is known. */
export type Finding = {
  severity: "error" | "warning" | "info";
  /** Stable and in kebab case; the subject may follow a slash: `element-not-allowed`, `bad-value/href`. */
  rule: string;
  /** What is wrong, what was found and what is allowed; names of elements in `<…>`, values in double quotes. */
  message: string;
  /** The URL of the part of the standard that requires it, with a fragment. */
  section: string;
  /** The element whose start tag is meant, or its end tag. */
  element: Element;
  /** The attribute in question, if any. */
  attribute?: Attribute | undefined;
  /** The text in question, if it is not the element itself. */
  node?: Node;
  /** The name or value that was probably meant. */
  meant?: string | undefined;
  /** Something missing is found at the end. */
  atEnd?: boolean;
  /** The place of a fault in the element's text: line and column in the source, from 1. */
  place?: { line: number; column: number };
};

/** Receives findings. */
export type Report = (finding: Finding) => void;

/** The HTML Standard, with a section's fragment. */
export function htmlSection(fragment: string): string {
  return `https://html.spec.whatwg.org/multipage/${fragment}`;
}
