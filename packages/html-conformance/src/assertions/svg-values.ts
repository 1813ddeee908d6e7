import { propertyValueProblem } from "./css/css-rules.ts";
import { type ElementRule, formatValue } from "./open-element.ts";

/** Attributes that are properties of CSS: https://www.w3.org/TR/SVG2/styling.html#PresentationAttributes */
const PRESENTATION: ReadonlySet<string> = new Set(
  (
    "baseline-shift clip-path clip-rule color color-interpolation cursor direction display dominant-baseline " +
    "fill fill-opacity fill-rule filter flood-color flood-opacity font-family font-size font-size-adjust font-stretch " +
    "font-style font-variant font-weight image-rendering letter-spacing lighting-color marker-end marker-mid marker-start " +
    "mask mask-type opacity overflow paint-order pointer-events shape-rendering stop-color stop-opacity stroke " +
    "stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity stroke-width " +
    "text-anchor text-decoration text-overflow text-rendering transform-origin unicode-bidi vector-effect visibility " +
    "white-space word-spacing writing-mode"
  ).split(" "),
);
/** Elements whose attribute `fill` says what remains of an animation. */
const ANIMATIONS: ReadonlySet<string> = new Set([
  "animate",
  "animateColor",
  "animateMotion",
  "animateTransform",
  "set",
]);

/** Keywords of SVG 1.1 and earlier drafts that the properties of CSS do not have any more, and browsers still read. */
const LEGACY: Readonly<Record<string, ReadonlySet<string>>> = {
  display: new Set(["compact", "marker"]),
  "dominant-baseline": new Set(["use-script", "no-change", "reset-size", "before-edge", "after-edge"]),
  "image-rendering": new Set(["optimizespeed", "optimizequality"]),
  "text-decoration": new Set(["blink"]),
  "writing-mode": new Set(["lr-tb", "rl-tb", "tb-rl", "lr", "rl", "tb"]),
};

/** Values by attribute: drawings repeat them. */
const seen = new Map<string, string | undefined>();
const MAX_SEEN = 20_000;

/** Presentation attributes of SVG, whose values are those of the property with their name. */
export const checkPresentationAttributes: ElementRule = (open, report) => {
  const { tagName, attrs } = open.element;
  for (const { name, value, prefix } of attrs) {
    if (prefix || !PRESENTATION.has(name) || (name === "fill" && ANIMATIONS.has(tagName))) continue;
    const problem = problemOf(name, value);
    if (problem)
      report(open, {
        rule: `bad-value/${name}`,
        message: `The value "${formatValue(value)}" of the attribute "${name}" on <${tagName}> is not valid: ${problem}.`,
        section: "https://www.w3.org/TR/SVG2/styling.html#PresentationAttributes",
        attribute: name,
      });
  }
};

function problemOf(name: string, value: string): string | undefined {
  if (LEGACY[name]?.has(value.trim().toLowerCase())) return undefined;
  const key = `${name}:${value}`;
  if (seen.has(key)) return seen.get(key);
  const problem = propertyValueProblem(name, value, true);
  if (seen.size >= MAX_SEEN) seen.clear();
  if (key.length < 200) seen.set(key, problem);
  return problem;
}
