import { tokenize, tokenTypes } from "css-tree";
import { quote } from "../text.ts";

/** Longer values are not checked: their tokens would take too much memory. */
export const MAX_CSS = 50_000;
const MAX_DEPTH = 100;

export type CssToken = {
  /** One of css-tree's `tokenTypes`. */
  type: number;
  text: string;
  /** The index of the bracket that closes what this token opens. */
  close: number;
};

const CLOSERS = new Map([
  [tokenTypes.LeftParenthesis, tokenTypes.RightParenthesis],
  [tokenTypes.Function, tokenTypes.RightParenthesis],
  [tokenTypes.LeftSquareBracket, tokenTypes.RightSquareBracket],
  [tokenTypes.LeftCurlyBracket, tokenTypes.RightCurlyBracket],
]);
const CLOSING = new Set(CLOSERS.values());

/** The tokens of a piece of CSS without its comments, with brackets matched; or why it has none. */
export function cssTokens(css: string): CssToken[] | string {
  const tokens: CssToken[] = [];
  const open: CssToken[] = [];
  let problem: string | undefined;
  tokenize(css, (type, start, end) => {
    const text = css.slice(start, end);
    if (type === tokenTypes.Comment) {
      if (text.length < 4 || !text.endsWith("*/")) problem ??= "a comment is not closed";
      return;
    }
    if (type === tokenTypes.BadString || type === tokenTypes.BadUrl) problem ??= `${quote(text)} is not closed`;
    const token: CssToken = { type, text, close: -1 };
    if (CLOSERS.has(type)) open.push(token);
    else if (CLOSING.has(type)) {
      const opener = open.pop();
      if (!opener || CLOSERS.get(opener.type) !== type) problem ??= `${quote(text)} closes nothing`;
      else opener.close = tokens.length;
    }
    if (open.length > MAX_DEPTH) problem ??= `brackets are nested deeper than ${MAX_DEPTH}`;
    tokens.push(token);
  });
  const unclosed = open[0];
  if (unclosed) problem ??= `${quote(unclosed.text)} is not closed`;
  return problem ?? tokens;
}

/** The tokens without whitespace at the ends. */
export function trimTokens(tokens: readonly CssToken[], from: number, to: number): [from: number, to: number] {
  let start = from;
  let end = to;
  while (start < end && tokens[start]?.type === tokenTypes.WhiteSpace) start++;
  while (end > start && tokens[end - 1]?.type === tokenTypes.WhiteSpace) end--;
  return [start, end];
}

/** The beginning of the text of a range of tokens, for messages. */
export function textOf(tokens: readonly CssToken[], from: number, to: number): string {
  const few = tokens.slice(from, Math.min(to, from + 20));
  return few.map((token) => token.text).join("");
}

/** The ranges between commas outside of brackets. */
export function splitAtCommas(tokens: readonly CssToken[]): [from: number, to: number][] {
  const ranges: [number, number][] = [];
  let start = 0;
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    if (!token) continue;
    if (token.close > index) index = token.close;
    else if (token.type === tokenTypes.Comma) {
      ranges.push([start, index]);
      start = index + 1;
    }
  }
  ranges.push([start, tokens.length]);
  return ranges;
}

const LENGTH_UNITS = new Set(
  (
    "em rem ex rex cap rcap ch rch ic ric lh rlh vw svw lvw dvw vh svh lvh dvh vi svi lvi dvi vb svb lvb dvb vmin svmin lvmin " +
    "dvmin vmax svmax lvmax dvmax cqw cqh cqi cqb cqmin cqmax cm mm q in pt pc px"
  ).split(" "),
);
const OTHER_UNITS = new Set("deg grad rad turn s ms hz khz fr".split(" "));
const RESOLUTION_UNITS = new Set(["dpi", "dpcm", "dppx", "x"]);
const MATH = new Set(
  (
    "calc( min( max( clamp( round( mod( rem( sin( cos( tan( asin( acos( atan( atan2( pow( sqrt( hypot( log( exp( abs( sign( " +
    "progress( calc-size( random("
  ).split(" "),
);

function unitOf(token: CssToken): string {
  return token.text.replace(/^[+-]?(?:\d*\.)?\d+(?:e[+-]?\d+)?/i, "").toLowerCase();
}

export function isMathFunction(token: CssToken | undefined): boolean {
  return token?.type === tokenTypes.Function && MATH.has(token.text.toLowerCase());
}

const MATH_WORDS = new Set(
  "e pi infinity -infinity nan nearest up down to-zero none auto min-content max-content size".split(" "),
);

/** Why the content of the function at an index is not a math expression. */
export function mathProblem(tokens: readonly CssToken[], start: number): string | undefined {
  const end = tokens[start]?.close ?? -1;
  const [from, to] = trimTokens(tokens, start + 1, end);
  if (from >= to) return `${quote(`${tokens[start]?.text})`)} is empty`;
  for (let index = start; index < end; index++) {
    const token = tokens[index];
    if (token && !isMathToken(token)) return `${quote(token.text)} is not allowed in a math function`;
  }
  return undefined;
}

function isMathToken(token: CssToken): boolean {
  switch (token.type) {
    case tokenTypes.Number:
    case tokenTypes.Percentage:
    case tokenTypes.WhiteSpace:
    case tokenTypes.Comma:
    case tokenTypes.LeftParenthesis:
    case tokenTypes.RightParenthesis:
      return true;
    case tokenTypes.Dimension:
      return isLength(token) || isResolution(token) || OTHER_UNITS.has(unitOf(token));
    case tokenTypes.Ident:
      return MATH_WORDS.has(token.text.toLowerCase());
    case tokenTypes.Delim:
      return "+-*/".includes(token.text);
    default:
      return isMathFunction(token);
  }
}

/** True for a length, or for zero without a unit. */
export function isLength(token: CssToken): boolean {
  if (token.type === tokenTypes.Number) return Number(token.text) === 0;
  return token.type === tokenTypes.Dimension && LENGTH_UNITS.has(unitOf(token));
}

export function isResolution(token: CssToken): boolean {
  if (token.type === tokenTypes.Dimension) return RESOLUTION_UNITS.has(unitOf(token));
  return token.type === tokenTypes.Ident && token.text.toLowerCase() === "infinite";
}

export function isInteger(token: CssToken): boolean {
  return token.type === tokenTypes.Number && /^[+-]?\d+$/.test(token.text);
}
