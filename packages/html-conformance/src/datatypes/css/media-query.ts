import { tokenTypes } from "css-tree";
import { type Check, quote } from "../text.ts";
import { type CssToken, cssTokens, MAX_CSS, splitAtCommas, textOf, trimTokens } from "./css-tokens.ts";
import { nameProblem, valueProblem } from "./media-features.ts";

const TYPES = new Set(["all", "print", "screen"]);
const DEPRECATED_TYPES = new Set(["tty", "tv", "projection", "handheld", "braille", "embossed", "aural", "speech"]);
const RESERVED = new Set(["and", "or", "not", "only", "layer"]);

/** A valid media query list: https://drafts.csswg.org/mediaqueries-5/#mq-syntax */
export const mediaQueryProblem: Check = (value) => {
  if (value.length > MAX_CSS) return undefined;
  const tokens = cssTokens(value);
  if (typeof tokens === "string") return tokens;
  const [start, end] = trimTokens(tokens, 0, tokens.length);
  if (start === end) return undefined;
  for (const [from, to] of splitAtCommas(tokens)) {
    const problem = queryProblem(tokens, ...trimTokens(tokens, from, to));
    if (problem) return problem;
  }
  return undefined;
};

function queryProblem(tokens: readonly CssToken[], start: number, end: number): string | undefined {
  if (start === end) return "a media query between commas is missing";
  const modifier = word(tokens[start]);
  let index = start;
  if (modifier === "not" || modifier === "only") {
    index = skipSpace(tokens, start + 1, end);
    if (modifier === "not" && tokens[index]?.type !== tokenTypes.Ident)
      return conditionProblem(tokens, start, end, true);
  } else if (modifier === "") return conditionProblem(tokens, start, end, true);
  const type = index < end ? word(tokens[index]) : "";
  if (type === "") return `a media type is expected behind "${modifier}"`;
  const problem = typeProblem(type);
  if (problem) return problem;
  index = skipSpace(tokens, index + 1, end);
  if (index === end) return undefined;
  if (word(tokens[index]) !== "and") return `${found(tokens, index)} is found where "and" should follow the media type`;
  index++;
  if (tokens[index]?.type !== tokenTypes.WhiteSpace) return 'whitespace is expected behind "and"';
  return conditionProblem(tokens, index + 1, end, false);
}

function typeProblem(type: string): string | undefined {
  if (TYPES.has(type)) return undefined;
  if (RESERVED.has(type)) return `"${type}" is found where a media type should be`;
  if (DEPRECATED_TYPES.has(type)) return `the media type "${type}" is deprecated`;
  return `${quote(type)} is not a media type`;
}

/** Why tokens are not a media condition; one of `sizes` or of a query without a media type may have `or`. */
export function conditionProblem(
  tokens: readonly CssToken[],
  from: number,
  to: number,
  orAllowed: boolean,
): string | undefined {
  const [start, end] = trimTokens(tokens, from, to);
  if (start === end) return "a media condition is missing";
  if (word(tokens[start]) === "not") return negationProblem(tokens, start, end);
  let operator = "";
  let index = start;
  for (;;) {
    const problem = bracketProblem(tokens, index, end);
    if (problem) return problem;
    index = skipSpace(tokens, (tokens[index]?.close ?? 0) + 1, end);
    if (index === end) return undefined;
    const wrong = operatorProblem(tokens, index, operator, orAllowed);
    if (wrong) return wrong;
    operator = word(tokens[index]);
    index = skipSpace(tokens, index + 1, end);
  }
}

function negationProblem(tokens: readonly CssToken[], start: number, end: number): string | undefined {
  const index = skipSpace(tokens, start + 1, end);
  const problem = bracketProblem(tokens, index, end);
  if (problem) return problem;
  const rest = skipSpace(tokens, (tokens[index]?.close ?? 0) + 1, end);
  return rest < end ? `${found(tokens, rest)} may not follow "not (…)"` : undefined;
}

/** Why the token after a bracket is not "and", or "or" where that is allowed; `before` is the first operator. */
function operatorProblem(
  tokens: readonly CssToken[],
  index: number,
  before: string,
  orAllowed: boolean,
): string | undefined {
  const operator = word(tokens[index]);
  if (operator !== "and" && operator !== "or") return `${found(tokens, index)} is found where "and" should be`;
  if (operator === "or" && !orAllowed) return '"or" is not allowed behind a media type';
  if (before !== "" && before !== operator) return '"and" and "or" may not be mixed without parentheses';
  return tokens[index + 1]?.type === tokenTypes.WhiteSpace ? undefined : `whitespace is expected behind "${operator}"`;
}

/** Why there is no condition or feature in parentheses at an index. */
function bracketProblem(tokens: readonly CssToken[], index: number, end: number): string | undefined {
  const open = tokens[index];
  if (index >= end || open?.type !== tokenTypes.LeftParenthesis) {
    return `${index < end ? found(tokens, index) : "the end"} is found where "(" and a media feature should be`;
  }
  const [from, to] = trimTokens(tokens, index + 1, open.close);
  const first = tokens[from];
  if (from === to) return "the parentheses are empty";
  const nested =
    first?.type === tokenTypes.LeftParenthesis || (word(first) === "not" && startsBracket(tokens, from + 1, to));
  return nested ? conditionProblem(tokens, from, to, true) : featureProblem(tokens, from, to);
}

function startsBracket(tokens: readonly CssToken[], from: number, end: number): boolean {
  const index = skipSpace(tokens, from, end);
  return index < end && tokens[index]?.type === tokenTypes.LeftParenthesis;
}

function featureProblem(tokens: readonly CssToken[], from: number, to: number): string | undefined {
  const name = word(tokens[from]);
  const second = skipSpace(tokens, from + 1, to);
  if (name !== "" && second === to) return nameProblem(name, "alone");
  if (name !== "" && tokens[second]?.type === tokenTypes.Colon) {
    return nameProblem(name, "valued") ?? valueProblem(name, tokens, ...trimTokens(tokens, second + 1, to));
  }
  return rangeProblem(tokens, from, to);
}

type Comparison = { from: number; to: number; operator: string };

/** `width >= 1px`, `1px <= width`, `1px <= width < 2px` */
function rangeProblem(tokens: readonly CssToken[], from: number, to: number): string | undefined {
  const comparisons = comparisonsIn(tokens, from, to);
  const [first, second] = comparisons;
  if (!first || comparisons.length > 2) return `${quote(textOf(tokens, from, to))} is not a media feature`;
  const left = trimTokens(tokens, from, first.from);
  const middle = trimTokens(tokens, first.to, second?.from ?? to);
  if (!second) {
    const named = isName(tokens, left) ? { name: left, value: middle } : { name: middle, value: left };
    return comparedProblem(tokens, named.name, [named.value]);
  }
  if (first.operator === "=" || first.operator !== second.operator) {
    return "both comparisons must have the same direction";
  }
  return comparedProblem(tokens, middle, [left, trimTokens(tokens, second.to, to)]);
}

/** The "<", "<=", ">", ">=" and "=" outside of brackets. */
function comparisonsIn(tokens: readonly CssToken[], from: number, to: number): Comparison[] {
  const comparisons: Comparison[] = [];
  for (let index = from; index < to; index++) {
    const token = tokens[index];
    if (!token) continue;
    if (token.close > index) index = token.close;
    if (token.type !== tokenTypes.Delim || !"<>=".includes(token.text)) continue;
    const joined = token.text !== "=" && tokens[index + 1]?.text === "=";
    comparisons.push({ from: index, to: index + (joined ? 2 : 1), operator: token.text });
    if (joined) index++;
  }
  return comparisons;
}

function isName(tokens: readonly CssToken[], [from, to]: [number, number]): boolean {
  return to - from === 1 && word(tokens[from]) !== "";
}

function comparedProblem(
  tokens: readonly CssToken[],
  name: [number, number],
  values: [number, number][],
): string | undefined {
  if (!isName(tokens, name)) return `${quote(textOf(tokens, ...name))} is not the name of a media feature`;
  const feature = word(tokens[name[0]]);
  const problem = nameProblem(feature, "compared");
  if (problem) return problem;
  for (const [from, to] of values) {
    const wrong = valueProblem(feature, tokens, from, to);
    if (wrong) return wrong;
  }
  return undefined;
}

/** The identifier of a token in lower case, or nothing. */
function word(token: CssToken | undefined): string {
  return token?.type === tokenTypes.Ident ? token.text.toLowerCase() : "";
}

function skipSpace(tokens: readonly CssToken[], from: number, end: number): number {
  let index = from;
  while (index < end && tokens[index]?.type === tokenTypes.WhiteSpace) index++;
  return index;
}

function found(tokens: readonly CssToken[], index: number): string {
  return quote(tokens[index]?.text ?? "");
}
