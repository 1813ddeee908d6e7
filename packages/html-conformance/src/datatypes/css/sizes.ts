import { tokenTypes } from "css-tree";
import { type Check, quote } from "../text.ts";
import {
  type CssToken,
  cssTokens,
  isLength,
  isMathFunction,
  MAX_CSS,
  mathProblem,
  splitAtCommas,
  textOf,
  trimTokens,
} from "./css-tokens.ts";
import { conditionProblem } from "./media-query.ts";

/** https://html.spec.whatwg.org/multipage/images.html#valid-source-size-list */
export const sizesProblem: Check = (value) => {
  if (value.length > MAX_CSS) return undefined;
  const tokens = cssTokens(value);
  if (typeof tokens === "string") return tokens;
  const ranges = splitAtCommas(tokens).map(([from, to]) => trimTokens(tokens, from, to));
  for (const [index, [from, to]] of ranges.entries()) {
    const place = { first: index === 0, last: index === ranges.length - 1 };
    const problem = entryProblem(tokens, from, to, place);
    if (problem) return problem;
  }
  const isAuto = isAutoToken(tokens[ranges[0]?.[0] ?? 0]);
  return isAuto && !/^auto(?:,|$)/i.test(value)
    ? '"auto" must be the whole value, or the value must begin with "auto,"'
    : undefined;
};

/** A list without a size for all other cases works, but a browser then takes 100vw. */
export const sizesWarning: Check = (value) => {
  const tokens = value.length > MAX_CSS || sizesProblem(value) ? "" : cssTokens(value);
  if (typeof tokens === "string") return undefined;
  const [from, to] = trimTokens(tokens, ...(splitAtCommas(tokens).at(-1) ?? [0, 0]));
  return valueStart(tokens, from, to) > from
    ? "the last size has a media condition; a size without one should follow for all other cases"
    : undefined;
};

function isAutoToken(token: CssToken | undefined): boolean {
  return token?.type === tokenTypes.Ident && token.text.toLowerCase() === "auto";
}

/** The index where the size at the end of an entry begins: a function with what is in its parentheses, or one token. */
function valueStart(tokens: readonly CssToken[], from: number, to: number): number {
  if (tokens[to - 1]?.type !== tokenTypes.RightParenthesis) return to - 1;
  for (let index = from; index < to; index++) {
    const close = tokens[index]?.close ?? -1;
    if (close === to - 1) return index;
    if (close > index) index = close;
  }
  return from;
}

function entryProblem(
  tokens: readonly CssToken[],
  from: number,
  to: number,
  place: { first: boolean; last: boolean },
): string | undefined {
  if (from === to) return place.first && place.last ? "it is empty" : "a size between commas is missing";
  if (place.first && to - from === 1 && isAutoToken(tokens[from])) return undefined;
  const start = valueStart(tokens, from, to);
  const problem = lengthProblem(tokens, start, to);
  if (problem) return problem;
  if (start > from) return conditionProblem(tokens, from, start, true);
  return place.last ? undefined : `a media condition is missing in front of ${quote(textOf(tokens, start, to))}`;
}

function lengthProblem(tokens: readonly CssToken[], start: number, to: number): string | undefined {
  const token = tokens[start];
  if (!token) return undefined;
  if (isAutoToken(token)) return '"auto" is only allowed as the first size';
  if (token.type === tokenTypes.LeftParenthesis) return "a size is missing behind the media condition";
  if (token.type === tokenTypes.Function) return functionProblem(tokens, start, to);
  if (token.type === tokenTypes.Percentage) return `${quote(token.text)} is a percentage, which is not allowed`;
  if (!isLength(token)) {
    const hint = token.type === tokenTypes.Number ? ": its unit is missing" : "";
    return `${quote(token.text)} is not a length${hint}`;
  }
  return Number.parseFloat(token.text) < 0 ? `${quote(token.text)} is negative` : undefined;
}

function functionProblem(tokens: readonly CssToken[], start: number, to: number): string | undefined {
  for (let index = start; index < to; index++) {
    const token = tokens[index];
    if (token?.type === tokenTypes.Percentage) return `${quote(token.text)} is a percentage, which is not allowed`;
  }
  if (!isMathFunction(tokens[start])) return `${quote(`${tokens[start]?.text})`)} is not a math function`;
  return mathProblem(tokens, start);
}
