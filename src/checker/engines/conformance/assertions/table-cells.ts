import { type Open, type Tell, value } from "./open.ts";
import { elementSection } from "./sections.ts";

/** A cell at its place; `bottom` is the first row below it, infinite for `rowspan="0"`. */
export type Cell = { open: Open; left: number; right: number; bottom: number };

/** The number in a span; undefined where it is none. */
export function spanOf(element: Open, name: string): number | undefined {
  const text = value(element, name)?.trim() ?? "";
  if (!/^\+?\d+$/.test(text)) return undefined;
  return Math.min(Number(text), 2 ** 31);
}

export function tooLarge(tell: Tell, element: Open, attribute: string, most: number): void {
  tell(element, {
    rule: `table/${attribute}-too-large`,
    message: `The value of the attribute "${attribute}" of <${element.name}> must be at most ${most}.`,
    section: elementSection(element.name),
    attribute,
  });
}
