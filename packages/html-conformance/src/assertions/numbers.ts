import { checkValueLimits } from "./aria/aria-attributes.ts";
import { type ElementRule, type OpenElement, type ReportProblem, value } from "./open-element.ts";
import { elementSection } from "./sections.ts";

const FLOAT = /^-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const MAX_NUMBER = 400;

/** The number in an attribute; undefined if there is none, which the datatype's check reports. */
function numberOf(open: OpenElement, name: string): number | undefined {
  const text = value(open, name);
  return text !== undefined && text.length <= MAX_NUMBER && FLOAT.test(text) ? Number(text) : undefined;
}

/** One number with its name, or its default. */
type Bound = { name: string; number: number; isDefault: boolean };

function bound(open: OpenElement, name: string, otherwise?: number): Bound | undefined {
  const number = numberOf(open, name);
  if (number !== undefined) return { name, number, isDefault: false };
  return otherwise === undefined ? undefined : { name, number: otherwise, isDefault: true };
}

function checkOrder(open: OpenElement, report: ReportProblem, less: Bound | undefined, more: Bound | undefined): void {
  if (!less || !more || less.number <= more.number || (less.isDefault && more.isDefault)) return;
  const limit = ({ name, number, isDefault }: Bound) => `"${name}" (${number}${isDefault ? ", by default" : ""})`;
  report(open, {
    rule: `number-order/${less.name}-${more.name}`,
    message: `The number in ${limit(less)} of <${open.name}> must not be more than that in ${limit(more)}.`,
    section: elementSection(open.name),
    attribute: less.isDefault ? more.name : less.name,
  });
}

export const checkProgress: ElementRule = (open, report) => {
  checkOrder(open, report, bound(open, "value"), bound(open, "max", 1));
  checkValueLimits(open, report);
};

export const checkMeter: ElementRule = (open, report) => {
  const [min, max] = [bound(open, "min", 0), bound(open, "max", 1)];
  const [low, high] = [bound(open, "low"), bound(open, "high")];
  checkOrder(open, report, min, max);
  checkOrder(open, report, low, high);
  for (const between of [bound(open, "value"), low, high, bound(open, "optimum")]) {
    checkOrder(open, report, min, between);
    checkOrder(open, report, between, max);
  }
  checkValueLimits(open, report);
};
