import { tokenTypes } from "css-tree";
import { near } from "../../messages/near.ts";
import { quote } from "../text.ts";
import { type CssToken, isInteger, isLength, isMathFunction, isResolution, mathProblem, textOf } from "./css-tokens.ts";

// The media features of https://drafts.csswg.org/mediaqueries-5/ and their values. Other features may be added later,
// so their values are not checked.

type Values = "length" | "ratio" | "resolution" | "integer" | ReadonlySet<string>;

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));

/** Features that can be compared: with `min-` and `max-`, and with `<` and `>`. */
const RANGES: ReadonlyMap<string, Values> = new Map(
  Object.entries<Values>({
    width: "length",
    height: "length",
    "aspect-ratio": "ratio",
    resolution: "resolution",
    color: "integer",
    "color-index": "integer",
    monochrome: "integer",
    "horizontal-viewport-segments": "integer",
    "vertical-viewport-segments": "integer",
  }),
);
const DISCRETE: ReadonlyMap<string, Values> = new Map(
  Object.entries<Values>({
    orientation: words("portrait landscape"),
    scan: words("interlace progressive"),
    grid: words("0 1"),
    update: words("none slow fast"),
    "overflow-block": words("none scroll paged optional-paged"),
    "overflow-inline": words("none scroll"),
    "color-gamut": words("srgb p3 rec2020"),
    "video-color-gamut": words("srgb p3 rec2020"),
    "dynamic-range": words("standard high"),
    "video-dynamic-range": words("standard high"),
    "inverted-colors": words("none inverted"),
    pointer: words("none coarse fine"),
    "any-pointer": words("none coarse fine"),
    hover: words("none hover"),
    "any-hover": words("none hover"),
    "nav-controls": words("none back"),
    "environment-blending": words("opaque additive subtractive"),
    scripting: words("none initial-only enabled"),
    "forced-colors": words("none active"),
    "prefers-color-scheme": words("light dark"),
    "prefers-contrast": words("no-preference less more custom forced"),
    "prefers-reduced-motion": words("no-preference reduce"),
    "prefers-reduced-transparency": words("no-preference reduce"),
    "prefers-reduced-data": words("no-preference reduce"),
    "display-mode": words(
      "fullscreen standalone minimal-ui browser picture-in-picture window-controls-overlay tabbed borderless",
    ),
    "display-state": words("normal minimized maximized fullscreen"),
    "device-posture": words("continuous folded"),
    resizable: words("true false"),
    shape: words("rect round"),
    "light-level": words("dim normal washed"),
    "ua-color-scheme": words("light dark"),
  }),
);
const ANY_VALUE = new Set<number>([tokenTypes.Number, tokenTypes.Dimension, tokenTypes.Percentage, tokenTypes.Ident]);
/** More tokens than any value has: a ratio with whitespace. */
const MAX_PARTS = 8;
const DEPRECATED = words("device-width device-height device-aspect-ratio");

const PREFIXED = [...RANGES.keys()].flatMap((name) => [`min-${name}`, `max-${name}`]);

/** A name without its prefix `min-` or `max-`. */
export function featureName(name: string): { base: string; prefixed: boolean } {
  const prefixed = /^(?:min|max)-/.test(name);
  return { base: prefixed ? name.slice(4) : name, prefixed };
}

/** Why a feature may not be named there; `alone` has no value, `compared` has a comparison. */
export function nameProblem(name: string, use: "alone" | "valued" | "compared"): string | undefined {
  const { base, prefixed } = featureName(name);
  // Custom media queries, and features of browsers.
  if (base.startsWith("-") || /^-?(?:webkit|moz|ms|o)-/.test(base)) return undefined;
  if (!RANGES.has(base) && !DISCRETE.has(base) && !DEPRECATED.has(base)) return unknownFeature(name);
  if (DEPRECATED.has(base)) return `the media feature ${quote(name)} is deprecated`;
  if (!prefixed)
    return use === "compared" && !RANGES.has(base) ? `the media feature ${quote(name)} cannot be compared` : undefined;
  if (DISCRETE.has(base)) return `the media feature "${base}" has no form with "min-" or "max-"`;
  if (!RANGES.has(base)) return undefined;
  if (use === "alone") return `the media feature ${quote(name)} needs a value`;
  return use === "compared" ? `${quote(name)} is compared already; write "${base}"` : undefined;
}

function unknownFeature(name: string): string {
  const meant = near(name, [...PREFIXED, ...RANGES.keys(), ...DISCRETE.keys()]);
  const hint = meant ? `; did you mean "${meant}"?` : "";
  return `${quote(name)} is not a media feature${hint}`;
}

/** Why a range of tokens (without whitespace at its ends) is not a value of a feature. */
export function valueProblem(name: string, tokens: readonly CssToken[], from: number, to: number): string | undefined {
  const first = tokens[from];
  if (!first || from >= to) return `the media feature ${quote(name)} has no value`;
  if (isMathFunction(first) && first.close === to - 1) return mathProblem(tokens, from);
  const { base } = featureName(name);
  const values = RANGES.get(base) ?? DISCRETE.get(base);
  const parts = tokens
    .slice(from, Math.min(to, from + MAX_PARTS))
    .filter((token) => token.type !== tokenTypes.WhiteSpace);
  if (values === undefined ? isAnyValue(first, parts) : isValue(values, first, parts)) return undefined;
  const hint = unitHint(values, parts);
  return `${quote(textOf(tokens, from, to))} is not a value of the media feature ${quote(name)}${hint}`;
}

/** A value of a feature that is not known: a number, a dimension, an identifier or a ratio. */
function isAnyValue(first: CssToken, parts: readonly CssToken[]): boolean {
  if (parts.length > 1) return isRatio(parts);
  return ANY_VALUE.has(first.type);
}

function isValue(values: Values, first: CssToken, parts: readonly CssToken[]): boolean {
  if (values === "ratio") return isRatio(parts);
  if (parts.length > 1) return false;
  if (values === "length") return isLength(first);
  if (values === "resolution") return isResolution(first);
  if (values === "integer") return isInteger(first);
  return (first.type === tokenTypes.Ident || isInteger(first)) && values.has(first.text.toLowerCase());
}

/** A number, or two with a slash between them. */
function isRatio(parts: readonly CssToken[]): boolean {
  const [left, slash, right] = parts;
  if (left?.type !== tokenTypes.Number || left.text.startsWith("-")) return false;
  if (parts.length === 1) return true;
  return parts.length === 3 && slash?.text === "/" && right?.type === tokenTypes.Number && !right.text.startsWith("-");
}

function unitHint(values: Values | undefined, parts: readonly CssToken[]): string {
  const needsUnit = (values === "length" || values === "resolution") && parts.length === 1;
  return needsUnit && parts[0]?.type === tokenTypes.Number ? ": its unit is missing" : "";
}
