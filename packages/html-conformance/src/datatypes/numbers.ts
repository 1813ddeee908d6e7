import { type Check, characterAt, isDigit, skipDigits } from "./text.ts";

/** https://html.spec.whatwg.org/multipage/common-microsyntaxes.html#valid-integer */
export const integerProblem: Check = (value) => digitsProblem(value, value.startsWith("-") ? 1 : 0);

/** https://html.spec.whatwg.org/multipage/common-microsyntaxes.html#valid-non-negative-integer */
export const nonNegativeIntegerProblem: Check = (value) => {
  return value.startsWith("-") ? "a minus sign is not allowed" : digitsProblem(value, 0);
};

/** A valid non-negative integer that is greater than zero. */
export const positiveIntegerProblem: Check = (value) => {
  return nonNegativeIntegerProblem(value) ?? (/[1-9]/.test(value) ? undefined : "zero is not allowed");
};

function digitsProblem(value: string, start: number): string | undefined {
  if (value === "") return "it is empty";
  const end = skipDigits(value, start);
  if (end < value.length) return `${characterAt(value, end)} is not a digit`;
  return end === start ? "it has no digits" : undefined;
}

/** https://html.spec.whatwg.org/multipage/common-microsyntaxes.html#valid-floating-point-number */
export const floatProblem: Check = (value) => {
  if (value === "") return "it is empty";
  const start = value.startsWith("-") ? 1 : 0;
  let end = skipDigits(value, start);
  const hasWhole = end > start;
  if (value[end] === ".") {
    const fraction = skipDigits(value, end + 1);
    if (fraction === end + 1) return `"." must be followed by a digit, not by ${characterAt(value, fraction)}`;
    end = fraction;
  } else if (!hasWhole) return end < value.length ? `${characterAt(value, end)} is not a digit` : "it has no digits";
  if (value[end] === "e" || value[end] === "E") {
    const sign = value[end + 1] === "-" || value[end + 1] === "+" ? 1 : 0;
    const exponent = end + 1 + sign;
    end = skipDigits(value, exponent);
    if (end === exponent) return `its exponent must have a digit, not ${characterAt(value, end)}`;
  }
  return end < value.length ? `${characterAt(value, end)} is not allowed in the number` : undefined;
};

/** A valid floating-point number that is not less than zero ("-0" is not). */
export const nonNegativeFloatProblem: Check = (value) => {
  const negative = value.startsWith("-") && !isZero(value);
  return floatProblem(value) ?? (negative ? "a number below zero is not allowed" : undefined);
};

/** A valid floating-point number that is greater than zero. */
export const positiveFloatProblem: Check = (value) => {
  const problem = floatProblem(value);
  if (problem) return problem;
  if (isZero(value)) return "zero is not allowed";
  return value.startsWith("-") ? "a number below zero is not allowed" : undefined;
};

/** True where no digit of the significand is other than zero. */
function isZero(number: string): boolean {
  for (let index = 0; index < number.length; index++) {
    const code = number.charCodeAt(index);
    if (code === 0x65 || code === 0x45) return true;
    if (isDigit(code) && code !== 48) return false;
  }
  return true;
}

export const zeroProblem: Check = (value) => (value === "0" ? undefined : 'only "0" is allowed');
