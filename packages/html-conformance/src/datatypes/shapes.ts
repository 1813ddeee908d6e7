import { integerProblem, nonNegativeIntegerProblem } from "./numbers.ts";
import { type Check, quote } from "./text.ts";

// The coordinates of an area, as its shape wants them: https://html.spec.whatwg.org/multipage/image-maps.html#attr-area-coords
// They are integers with commas between them; whitespace is not allowed.

function coordinatesProblem(value: string, parts: readonly string[]): string | undefined {
  for (const part of parts) {
    if (part === "" && parts.length > 1) return "an integer between commas is missing";
    const problem = integerProblem(part);
    if (problem) return part === value ? problem : `in ${quote(part)}, ${problem}`;
  }
  return undefined;
}

export const rectangleProblem: Check = (value) => {
  const parts = value.split(",");
  const problem = coordinatesProblem(value, parts);
  if (problem) return problem;
  if (parts.length !== 4) return `a rectangle has four integers, but ${parts.length} are found`;
  const [left, top, right, bottom] = parts.map(Number) as [number, number, number, number];
  if (left >= right) return `its left side ${left} is not less than its right side ${right}`;
  return top >= bottom ? `its top ${top} is not less than its bottom ${bottom}` : undefined;
};

export const circleProblem: Check = (value) => {
  const parts = value.split(",");
  const problem = coordinatesProblem(value, parts);
  if (problem) return problem;
  if (parts.length !== 3) return `a circle has three integers, but ${parts.length} are found`;
  return nonNegativeIntegerProblem(parts[2] ?? "") ? "its radius is negative" : undefined;
};

export const polylineProblem: Check = (value) => {
  const parts = value.split(",");
  const problem = coordinatesProblem(value, parts);
  if (problem) return problem;
  if (parts.length < 6) return `a polygon has six integers or more, but ${parts.length} are found`;
  return parts.length % 2 === 1 ? `a polygon has pairs of integers, but ${parts.length} are found` : undefined;
};
