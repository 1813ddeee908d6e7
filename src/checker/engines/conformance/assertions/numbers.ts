import { checkValueLimits } from "./aria-attributes.ts";
import { type ElementRule, type Open, type Tell, value } from "./open.ts";
import { elementSection } from "./sections.ts";

const FLOAT = /^-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const LONGEST_NUMBER = 400;

/** The number in an attribute; undefined where there is none, which the datatype says. */
function numberOf(open: Open, name: string): number | undefined {
  const text = value(open, name);
  return text !== undefined && text.length <= LONGEST_NUMBER && FLOAT.test(text) ? Number(text) : undefined;
}

/** One number with its name, or its default. */
type Bound = { name: string; number: number; isDefault: boolean };

function bound(open: Open, name: string, otherwise?: number): Bound | undefined {
  const number = numberOf(open, name);
  if (number !== undefined) return { name, number, isDefault: false };
  return otherwise === undefined ? undefined : { name, number: otherwise, isDefault: true };
}

function checkOrder(open: Open, tell: Tell, less: Bound | undefined, more: Bound | undefined): void {
  if (!less || !more || less.number <= more.number || (less.isDefault && more.isDefault)) return;
  const shown = ({ name, number, isDefault }: Bound) => `"${name}" (${number}${isDefault ? ", by default" : ""})`;
  tell(open, {
    rule: `number-order/${less.name}-${more.name}`,
    message: `The number in ${shown(less)} of <${open.name}> must not be more than that in ${shown(more)}.`,
    section: elementSection(open.name),
    attribute: less.isDefault ? more.name : less.name,
  });
}

export const checkProgress: ElementRule = (open, tell) => {
  checkOrder(open, tell, bound(open, "value"), bound(open, "max", 1));
  checkValueLimits(open, tell);
};

export const checkMeter: ElementRule = (open, tell) => {
  const [min, max] = [bound(open, "min", 0), bound(open, "max", 1)];
  const [low, high] = [bound(open, "low"), bound(open, "high")];
  checkOrder(open, tell, min, max);
  checkOrder(open, tell, low, high);
  for (const between of [bound(open, "value"), low, high, bound(open, "optimum")]) {
    checkOrder(open, tell, min, between);
    checkOrder(open, tell, between, max);
  }
  checkValueLimits(open, tell);
};
