import { tokenTypes } from "css-tree";
import { type CssToken, cssTokens, isMathFunction } from "../../datatypes/css/css-tokens.ts";
import { formatValue } from "../open-element.ts";

/** What a calculation results in; undefined where only a browser knows. */
type Kind = "number" | "length" | "angle" | "time" | "frequency" | "resolution" | "flex" | "product" | undefined;

const UNITS: readonly (readonly [kind: Exclude<Kind, undefined>, units: ReadonlySet<string>])[] = [
  ["angle", new Set(["deg", "grad", "rad", "turn"])],
  ["time", new Set(["s", "ms"])],
  ["frequency", new Set(["hz", "khz"])],
  ["resolution", new Set(["dpi", "dpcm", "dppx", "x"])],
  ["flex", new Set(["fr"])],
];
const NUMBERS = new Set(["e", "pi", "infinity", "-infinity", "nan"]);
/** Functions whose result has the type of their arguments. */
const SAME_TYPE = new Set(["calc(", "min(", "max(", "clamp(", "abs("]);

class Wrong extends Error {}

/**
 * What is wrong with the calculations in a value: a sign without white space around it, or a sum of what cannot be
 * added. What is not understood is not judged.
 *
 * @see https://drafts.csswg.org/css-values/#calc-syntax and #determine-the-type-of-a-calculation
 */
export function mathProblem(value: string): string | undefined {
  const tokens = cssTokens(value);
  if (typeof tokens === "string") return undefined;
  try {
    for (let at = 0; at < tokens.length; at++) {
      const token = tokens[at] as CssToken;
      if (!isMathFunction(token)) continue;
      if (argumentsOf(tokens, at) === "product") throw new Wrong("the product of two dimensions is not a value");
      at = token.close;
    }
  } catch (error) {
    if (error instanceof Wrong) return error.message;
    throw error;
  }
  return undefined;
}

/** How many arguments a function has, at least and at most. */
const ARGUMENTS: Readonly<Record<string, readonly [least: number, most: number]>> = {
  "calc(": [1, 1],
  "clamp(": [3, 3],
  "round(": [1, 3],
  "mod(": [2, 2],
  "rem(": [2, 2],
  "sin(": [1, 1],
  "cos(": [1, 1],
  "tan(": [1, 1],
  "asin(": [1, 1],
  "acos(": [1, 1],
  "atan(": [1, 1],
  "atan2(": [2, 2],
  "pow(": [2, 2],
  "sqrt(": [1, 1],
  "log(": [1, 2],
  "exp(": [1, 1],
  "abs(": [1, 1],
  "sign(": [1, 1],
};

/** The type of a function, or of parentheses, by that of its arguments. */
function argumentsOf(tokens: readonly CssToken[], open: number): Kind {
  const { text, close } = tokens[open] as CssToken;
  let kind: Kind;
  let count = 0;
  let from = open + 1;
  for (let at = from; at <= close; at++) {
    const token = tokens[at] as CssToken;
    if (at < close && token.close > at) at = token.close;
    else if (at === close || token.type === tokenTypes.Comma) {
      kind = sum(tokens, from, at) ?? kind;
      from = at + 1;
      count++;
    }
  }
  const [least, most] = ARGUMENTS[text.toLowerCase()] ?? [1, Number.POSITIVE_INFINITY];
  if (count < least || count > most)
    throw new Wrong(`"${text})" has ${count} arguments, but needs ${least === most ? least : `${least} to ${most}`}`);
  return text === "(" || SAME_TYPE.has(text.toLowerCase()) ? kind : undefined;
}

function sum(tokens: readonly CssToken[], from: number, end: number): Kind {
  let total: Kind;
  let product: Kind;
  let operator = "";
  let wasOperand = false;
  for (let at = from; at < end; at++) {
    const token = tokens[at] as CssToken;
    if (token.type === tokenTypes.WhiteSpace) continue;
    if (token.type === tokenTypes.Delim && wasOperand && "+-*/".includes(token.text)) {
      if ("+-".includes(token.text)) {
        requireSpaces(tokens, at);
        total = added(total, product);
        product = undefined;
      }
      operator = token.text;
      wasOperand = false;
      continue;
    }
    if (wasOperand) return withoutOperator(token);
    const operand = kindOf(tokens, at);
    if (token.close > at) at = token.close;
    product = operator === "*" || operator === "/" ? multiplied(product, operand, operator) : operand;
    wasOperand = true;
  }
  return added(total, product);
}

function requireSpaces(tokens: readonly CssToken[], at: number): void {
  if ([tokens[at - 1], tokens[at + 1]].some((one) => one?.type !== tokenTypes.WhiteSpace))
    throw new Wrong(`"${tokens[at]?.text}" needs white space on both sides`);
}

/** An operand behind another one: a signed number is one whose sign should be an operator. */
function withoutOperator(token: CssToken): undefined {
  if (/^[+-]/.test(token.text) && isNumeric(token))
    throw new Wrong(`"${token.text[0]}" before "${formatValue(token.text.slice(1))}" needs white space on both sides`);
  return undefined;
}

function isNumeric({ type }: CssToken): boolean {
  return type === tokenTypes.Number || type === tokenTypes.Dimension || type === tokenTypes.Percentage;
}

function added(total: Kind, next: Kind): Kind {
  if (total !== undefined && next !== undefined && total !== next)
    throw new Wrong(`a ${total} and a ${next} cannot be added`);
  return total ?? next;
}

function multiplied(left: Kind, right: Kind, operator: string): Kind {
  if (right === "number") return left;
  if (operator === "/" || left === undefined || right === undefined) return undefined;
  return left === "number" ? right : "product";
}

function kindOf(tokens: readonly CssToken[], at: number): Kind {
  const token = tokens[at] as CssToken;
  switch (token.type) {
    case tokenTypes.Number:
      return "number";
    case tokenTypes.Dimension: {
      const unit = token.text.replace(/^[+-]?(?:\d*\.)?\d+(?:e[+-]?\d+)?/i, "").toLowerCase();
      return UNITS.find(([, units]) => units.has(unit))?.[0] ?? "length";
    }
    case tokenTypes.Ident:
      return NUMBERS.has(token.text.toLowerCase()) ? "number" : undefined;
    case tokenTypes.LeftParenthesis:
      return argumentsOf(tokens, at);
    default:
      return isMathFunction(token) ? argumentsOf(tokens, at) : undefined;
  }
}

/** Why the strings of `grid-template-areas` are not a grid. @see https://drafts.csswg.org/css-grid/#grid-template-areas-property */
export function gridAreasProblem(value: string): string | undefined {
  const rows = Array.from(value.matchAll(/"([^"]*)"|'([^']*)'/g), ([, one, other]) =>
    (one ?? other ?? "").trim().split(/\s+/),
  );
  const width = rows[0]?.length ?? 0;
  const uneven = rows.find((row) => row.length !== width);
  if (uneven) return `its rows have ${width} and ${uneven.length} cells; all rows have as many`;
  const areas = new Map<string, { top: number; left: number; bottom: number; right: number; cells: number }>();
  rows.forEach((row, y) => {
    row.forEach((name, x) => {
      if (/^\.+$/.test(name)) return;
      const area = areas.get(name) ?? { top: y, left: x, bottom: y, right: x, cells: 0 };
      area.bottom = y;
      area.left = Math.min(area.left, x);
      area.right = Math.max(area.right, x);
      area.cells++;
      areas.set(name, area);
    });
  });
  for (const [name, { top, left, bottom, right, cells }] of areas)
    if (cells !== (bottom - top + 1) * (right - left + 1))
      return `the cells of the area "${formatValue(name)}" are not a rectangle`;
  return undefined;
}
