import { type OpenElement, type ReportProblem, value } from "../open-element.ts";
import { elementSection } from "../sections.ts";

/** A cell at its place; `bottom` is the first row below it, infinite for `rowspan="0"`. */
export type Cell = { open: OpenElement; left: number; right: number; bottom: number };

/** The number in a span; undefined if it is not a number. */
export function spanOf(element: OpenElement, name: string): number | undefined {
  const text = value(element, name)?.trim() ?? "";
  if (!/^\+?\d+$/.test(text)) return undefined;
  return Math.min(Number(text), 2 ** 31);
}

export function tooLarge(report: ReportProblem, element: OpenElement, attribute: string, most: number): void {
  report(element, {
    rule: `table/${attribute}-too-large`,
    message: `The value of the attribute "${attribute}" of <${element.name}> must be at most ${most}.`,
    section: elementSection(element.name),
    attribute,
  });
}
