import {
  dateProblem,
  globalDateTimeProblem,
  localDateTimeProblem,
  monthProblem,
  timeProblem,
  timeZoneProblem,
  weekProblem,
  yearlessDateProblem,
  yearProblem,
} from "./dates.ts";
import { type Check, characterAt, isSpace, quote, skipDigits, stripSpaces } from "./text.ts";

/**
 * Why a value is not valid for the element `time`, which allows a date, a time, a duration, or a part of them.
 * https://html.spec.whatwg.org/multipage/text-level-semantics.html#datetime-value
 * Whitespace around it is accepted, because the element's text often has it.
 */
export const timeDatetimeProblem: Check = (value) => {
  const text = stripSpaces(value);
  if (text === "") return "it is empty";
  return checkFor(text)(text);
};

/** The check for the syntax that a text most resembles, so that its messages fit. */
function checkFor(text: string): Check {
  if (/^P/.test(text)) return isoDurationProblem;
  if (/^(Z|[+-]\d)/.test(text)) return timeZoneProblem;
  if (/^--/.test(text)) return yearlessDateProblem;
  const digits = skipDigits(text, 0);
  if (digits === 2 && text[2] === ":") return timeProblem;
  if (digits === 2 && text[2] === "-") return yearlessDateProblem;
  if (digits === text.length) return yearProblem;
  if (text[digits] !== "-" || digits === 0) return componentsProblem;
  if (text[digits + 1] === "W") return weekProblem;
  const afterMonth = skipDigits(text, digits + 1);
  if (text[afterMonth] !== "-") return monthProblem;
  const afterDay = skipDigits(text, afterMonth + 1);
  if (afterDay === text.length) return dateProblem;
  const hasZone = /[Z+-]/.test(text.slice(afterDay));
  return hasZone ? globalDateTimeProblem : localDateTimeProblem;
}

const SECONDS = "a fraction of a second has one to three digits";

/** Reads a number at an index: where it ends, whether it has a fraction, and what is wrong with it. */
function readNumber(text: string, start: number): { end: number; fraction: boolean; problem: string | undefined } {
  const whole = skipDigits(text, start);
  if (whole === start) {
    return { end: start, fraction: false, problem: `${characterAt(text, start)} is found where a number should be` };
  }
  if (text[whole] !== ".") return { end: whole, fraction: false, problem: undefined };
  const end = skipDigits(text, whole + 1);
  const digits = end - whole - 1;
  return { end, fraction: true, problem: digits < 1 || digits > 3 ? SECONDS : undefined };
}

/** `P1DT2H3M4.5S`: https://html.spec.whatwg.org/multipage/common-microsyntaxes.html#valid-duration-string */
function isoDurationProblem(text: string): string | undefined {
  const t = text.indexOf("T");
  const days = t < 0 ? text.length : t;
  if (text.length === 1 || t === text.length - 1) return `nothing follows "${text[text.length - 1]}"`;
  return unitsProblem(text, 1, days, "D") ?? (t < 0 ? undefined : unitsProblem(text, t + 1, text.length, "HMS"));
}

/** Why a part of a text is not numbers, each with one of the units, in their order. */
function unitsProblem(text: string, start: number, end: number, units: string): string | undefined {
  let left = units;
  for (let index = start; index < end; ) {
    const { end: unit, problem, fraction } = readNumber(text, index);
    if (problem) return problem;
    const at = unit < end ? left.indexOf(text[unit] ?? "?") : -1;
    if (at < 0) {
      const expected = left === "" ? "the end" : [...left].map((letter) => `"${letter}"`).join(" or ");
      return `${characterAt(text, unit)} is found where ${expected} should be`;
    }
    if (fraction && text[unit] !== "S") return "only seconds have a fraction";
    left = left.slice(at + 1);
    index = unit + 1;
  }
  return undefined;
}

/** `1w 2d 3h 4m 5.5s`: durations by their units, in any order, each once. */
function componentsProblem(text: string): string | undefined {
  if (skipDigits(text, 0) === 0) return "it is neither a date, nor a time, nor a duration";
  const seen = new Set<string>();
  for (let index = 0; index < text.length; ) {
    const { end, problem, fraction } = readNumber(text, index);
    if (problem) return problem;
    const unit = skipSpaces(text, end);
    const scale = (text[unit] ?? "").toLowerCase();
    if (scale === "" || !"wdhms".includes(scale)) {
      const number = quote(text.slice(index, end));
      return `${number} is followed by ${characterAt(text, unit)}, not by one of the units "w", "d", "h", "m" and "s"`;
    }
    if (fraction && scale !== "s") return "only seconds have a fraction";
    if (seen.has(scale)) return `the unit "${scale}" occurs twice`;
    seen.add(scale);
    index = skipSpaces(text, unit + 1);
  }
  return undefined;
}

function skipSpaces(text: string, start: number): number {
  let index = start;
  while (isSpace(text.charCodeAt(index))) index++;
  return index;
}
