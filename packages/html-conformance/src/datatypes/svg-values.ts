import { lexer } from "css-tree";
import { type Check, quote, stripSpaces } from "./text.ts";

/** Longer lists are not judged, which bounds the time. */
const MAX_LENGTH = 1_000_000;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const UNIT =
  /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?:%|em|rem|r?ex|r?cap|r?ch|r?ic|r?lh|[sld]?v[hwib]|[sld]?vm(?:in|ax)|cq(?:[whib]|min|max)|cm|mm|q|in|pt|pc|px)?$/i;
const ANGLE = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?:deg|grad|rad|turn)?$/i;
/** Functions of CSS, whose results only a browser knows. */
const FUNCTION = /^[a-z-]+\(.*\)$/is;
const KEYWORDS = /^(?:auto|inherit|initial|unset|revert|revert-layer)$/i;
const SEPARATOR = /[ \t\n\f\r]*,[ \t\n\f\r]*|[ \t\n\f\r]+/;

/** The items of a list that commas or white space separate: https://www.w3.org/TR/SVG2/types.html#syntax */
function itemsOf(value: string): string[] {
  const text = stripSpaces(value);
  return text === "" ? [] : text.split(SEPARATOR);
}

const isLength = (text: string): boolean => UNIT.test(text) || FUNCTION.test(text) || KEYWORDS.test(text);

/** https://www.w3.org/TR/SVG2/types.html#InterfaceSVGNumber */
export const svgNumberProblem: Check = (value) =>
  NUMBER.test(stripSpaces(value)) || FUNCTION.test(stripSpaces(value)) ? undefined : `${quote(value)} is not a number`;

/** https://www.w3.org/TR/SVG2/geometry.html: a length, a percentage, or a number of user units. */
export const svgLengthProblem: Check = (value) =>
  isLength(stripSpaces(value)) ? undefined : `${quote(value)} is not a length, a percentage or a number`;

export const svgLengthsProblem: Check = (value) => listProblem(value, isLength, "a length, a percentage or a number");

export const svgNumbersProblem: Check = (value) => listProblem(value, (item) => NUMBER.test(item), "a number");

function listProblem(value: string, fits: (item: string) => boolean, what: string): string | undefined {
  if (value.length > MAX_LENGTH || value.includes("(")) return undefined;
  const wrong = itemsOf(value).find((item) => !fits(item));
  return wrong === undefined ? undefined : `${wrong === "" ? "nothing between commas" : quote(wrong)} is not ${what}`;
}

/** One number, or two: https://www.w3.org/TR/SVG11/types.html#DataTypeNumberOptionalNumber */
export const svgNumberPairProblem: Check = (value) => {
  const items = itemsOf(value);
  if (items.length < 1 || items.length > 2) return "one number is needed, or two";
  return listProblem(value, (item) => NUMBER.test(item), "a number");
};

export const svgNumberOrPercentageProblem: Check = (value) =>
  /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?%?$/.test(stripSpaces(value))
    ? undefined
    : `${quote(value)} is not a number or a percentage`;

/** https://www.w3.org/TR/SVG2/shapes.html#DataTypePoints: numbers, of which signs may separate two, in pairs. */
export const svgPointsProblem: Check = (value) => {
  if (value.length > MAX_LENGTH) return undefined;
  let count = 0;
  const text = stripSpaces(value);
  const point = /([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?:[ \t\n\f\r]*,[ \t\n\f\r]*(?=[^\s,])|[ \t\n\f\r]*)/y;
  let at = 0;
  while (at < text.length) {
    point.lastIndex = at;
    const [found] = point.exec(text) ?? [];
    if (found === undefined) return `${quote(text.slice(at))} does not begin with a number`;
    at += found.length;
    count++;
  }
  return count % 2 === 0 ? undefined : `it has ${count} numbers, but a point has two`;
};

/** https://www.w3.org/TR/SVG2/coords.html#ViewBoxAttribute */
export const svgViewBoxProblem: Check = (value) => {
  const items = itemsOf(value);
  const wrong = items.find((item) => !NUMBER.test(item));
  if (wrong !== undefined) return `${wrong === "" ? "nothing between commas" : quote(wrong)} is not a number`;
  if (items.length !== 4) return `it needs four numbers, not ${items.length}: min-x, min-y, width and height`;
  const negative = items.slice(2).find((item) => Number(item) < 0);
  return negative === undefined ? undefined : `its width and height may not be below zero, as ${quote(negative)} is`;
};

/** https://www.w3.org/TR/SVG2/coords.html#PreserveAspectRatioAttribute */
export const svgAspectRatioProblem: Check = (value) =>
  /^(?:defer\s+)?(?:none|x(?:Min|Mid|Max)Y(?:Min|Mid|Max))(?:\s+(?:meet|slice))?$/.test(stripSpaces(value))
    ? undefined
    : `it must be "none", or an alignment such as "xMidYMid" and then "meet" or "slice"`;

/** https://www.w3.org/TR/SVG2/painting.html#OrientAttribute */
export const svgOrientProblem: Check = (value) =>
  /^(?:auto|auto-start-reverse)$/.test(value) || ANGLE.test(stripSpaces(value))
    ? undefined
    : 'it must be "auto", "auto-start-reverse", an angle or a number';

/** https://www.w3.org/TR/SVG2/painting.html#MarkerElementRefXAttribute */
export const svgReferencePointProblem: Check = (value) =>
  /^(?:left|center|right|top|bottom)$/.test(value) ? undefined : svgLengthProblem(value);

/** How many numbers each function may have. */
const TRANSFORMS: ReadonlyMap<string, readonly number[]> = new Map([
  ["matrix", [6]],
  ["translate", [1, 2]],
  ["scale", [1, 2]],
  ["rotate", [1, 3]],
  ["skewX", [1]],
  ["skewY", [1]],
]);

/** https://drafts.csswg.org/css-transforms/#svg-syntax, or a value of the property `transform`. */
export const svgTransformProblem: Check = (value) => {
  const text = stripSpaces(value);
  if (text === "" || text.length > MAX_LENGTH) return undefined;
  const problem = transformListProblem(text);
  return problem !== undefined && lexer.matchProperty("transform", text).error ? problem : undefined;
};

function transformListProblem(text: string): string | undefined {
  const call = /([A-Za-z]+)[ \t\n\f\r]*\(([^()]*)\)[ \t\n\f\r]*,?[ \t\n\f\r]*/y;
  let at = 0;
  while (at < text.length) {
    call.lastIndex = at;
    const [found, name = "", list = ""] = call.exec(text) ?? [];
    if (found === undefined) return `${quote(text.slice(at))} is not a transform function`;
    const counts = TRANSFORMS.get(name);
    if (!counts) return `${quote(name)} is not a transform function`;
    // Signs and points may separate numbers, too.
    const numbers = list.match(/[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[^\s,]/g) ?? [];
    const wrong = numbers.find((one) => !NUMBER.test(one));
    if (wrong !== undefined) return `${quote(wrong)} in "${name}()" is not a number`;
    if (!counts.includes(numbers.length))
      return `"${name}()" has ${numbers.length} numbers, but needs ${counts.join(" or ")}`;
    at += found.length;
  }
  return text.endsWith(",") ? "it ends with a comma" : undefined;
}

/** https://www.w3.org/TR/mathml-core/#dfn-length-percentage, and the lengths of MathML 3. */
export const mathLengthProblem: Check = (value) => {
  const text = stripSpaces(value);
  if (isLength(text) || /^(?:negative)?(?:very){0,2}(?:thin|thick|medium)mathspace$/.test(text)) return undefined;
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)\s*(?:%?\s*(?:height|depth|width))?$/.test(text)) return undefined;
  return `${quote(value)} is not a length or a percentage`;
};
