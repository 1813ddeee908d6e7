import { type Check, characterAt, isDigit, quote, skipDigits } from "./text.ts";

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const MIN_USUAL_YEAR = 1000;
const MAX_USUAL_YEAR = 3000;

/** The position of the reader in a value; a problem ends the reading. */
type Cursor = { readonly value: string; index: number; problem: string | undefined };

const cursor = (value: string): Cursor => ({ value, index: 0, problem: undefined });

function fail(at: Cursor, problem: string): boolean {
  at.problem ??= problem;
  return false;
}

/** Reads exactly two digits in a range; -1 after a problem. */
function twoDigits(at: Cursor, what: string, min: number, max: number): number {
  const { value, index } = at;
  if (!isDigit(value.charCodeAt(index)) || !isDigit(value.charCodeAt(index + 1))) {
    const wrong = isDigit(value.charCodeAt(index)) ? index + 1 : index;
    fail(at, `${what} needs two digits, but ${characterAt(value, wrong)} is found`);
    return -1;
  }
  const number = Number(value.slice(index, index + 2));
  at.index += 2;
  if (number >= min && number <= max) return number;
  fail(at, `${what} ${quote(value.slice(index, index + 2))} is not between ${min} and ${max}`);
  return -1;
}

function literal(at: Cursor, characters: string, before: string): boolean {
  const found = at.value[at.index];
  if (found !== undefined && characters.includes(found)) {
    at.index++;
    return true;
  }
  const names = [...characters].map((character) => (character === " " ? "a space" : `"${character}"`)).join(" or ");
  return fail(at, `${names} is expected ${before}, but ${characterAt(at.value, at.index)} is found`);
}

/** Reads a year of four or more digits. @returns its remainder by 400, which decides about weeks and leap years */
function year(at: Cursor): number {
  const start = at.index;
  at.index = skipDigits(at.value, start);
  const digits = at.value.slice(start, at.index);
  if (digits.length < 4) {
    const wrong = characterAt(at.value, at.index);
    fail(
      at,
      at.index < at.value.length
        ? `the year needs four digits or more, but ${wrong} is found`
        : "the year needs four digits or more",
    );
  } else if (!/[1-9]/.test(digits)) fail(at, "the year 0 is not allowed");
  return Number(digits.slice(-4)) % 400;
}

function isLeap(yearIn400: number): boolean {
  return yearIn400 === 0 || (yearIn400 % 4 === 0 && yearIn400 % 100 !== 0);
}

function dayOf(at: Cursor, monthNumber: number, leap: boolean): void {
  const max = monthNumber === 2 && !leap ? 28 : (DAYS[monthNumber - 1] ?? 31);
  twoDigits(at, "the day", 1, max);
}

function month(at: Cursor): number {
  return twoDigits(at, "the month", 1, 12);
}

function readMonth(at: Cursor): number {
  const yearIn400 = year(at);
  if (at.problem || !literal(at, "-", "after the year")) return 0;
  month(at);
  return yearIn400;
}

function readDate(at: Cursor): void {
  const yearIn400 = year(at);
  if (at.problem || !literal(at, "-", "after the year")) return;
  const monthNumber = month(at);
  if (at.problem || !literal(at, "-", "after the month")) return;
  dayOf(at, monthNumber, isLeap(yearIn400));
}

function readYearless(at: Cursor): void {
  if (at.value.startsWith("--", at.index)) at.index += 2;
  const monthNumber = month(at);
  if (at.problem || !literal(at, "-", "after the month")) return;
  dayOf(at, monthNumber, true);
}

function readWeek(at: Cursor): void {
  const yearIn400 = year(at);
  if (at.problem || !literal(at, "-", "after the year") || !literal(at, "W", "before the week")) return;
  twoDigits(at, "the week", 1, weeksOf(yearIn400));
}

/** A year has 53 weeks if it begins on a Thursday, or if it is a leap year that begins on a Wednesday. */
function weeksOf(yearIn400: number): number {
  const before = yearIn400 + 399;
  const weekday = (1 + before * 365 + Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400)) % 7;
  return weekday === 4 || (weekday === 3 && isLeap(yearIn400)) ? 53 : 52;
}

function readTime(at: Cursor): void {
  twoDigits(at, "the hour", 0, 23);
  if (at.problem || !literal(at, ":", "after the hour")) return;
  twoDigits(at, "the minute", 0, 59);
  if (at.problem || at.value[at.index] !== ":") return;
  at.index++;
  twoDigits(at, "the second", 0, 59);
  if (!at.problem && at.value[at.index] === ".") readFraction(at);
}

function readFraction(at: Cursor): void {
  const end = skipDigits(at.value, at.index + 1);
  const digits = end - at.index - 1;
  at.index = end;
  if (digits < 1 || digits > 3) fail(at, "a fraction of a second has one to three digits");
}

function readZone(at: Cursor): void {
  const sign = at.value[at.index];
  if (sign === "Z") {
    at.index++;
    return;
  }
  if (sign !== "+" && sign !== "-") {
    fail(
      at,
      `a time zone ("Z", or "+" or "-" and hours and minutes) is expected, but ${characterAt(at.value, at.index)} is found`,
    );
    return;
  }
  at.index++;
  const hours = twoDigits(at, "the hour of the time zone", 0, 23);
  if (at.problem) return;
  if (at.value[at.index] === ":") at.index++;
  const minutes = twoDigits(at, "the minute of the time zone", 0, 59);
  if (!at.problem && sign === "-" && hours === 0 && minutes === 0)
    fail(at, 'the time zone zero is written with "+", not with "-"');
}

function readLocal(at: Cursor): void {
  readDate(at);
  if (!at.problem && literal(at, "T ", "between the date and the time")) readTime(at);
}

function readGlobal(at: Cursor): void {
  readLocal(at);
  if (!at.problem) readZone(at);
}

/** A check that a reader reads the whole value. */
function wholly(read: (at: Cursor) => void): Check {
  return (value) => {
    if (value === "") return "it is empty";
    const at = cursor(value);
    read(at);
    if (!at.problem && at.index < value.length)
      fail(at, `${characterAt(value, at.index)} is found where the value should end`);
    return at.problem;
  };
}

/** https://html.spec.whatwg.org/multipage/common-microsyntaxes.html#valid-date-string */
export const dateProblem = wholly(readDate);
/** https://html.spec.whatwg.org/multipage/common-microsyntaxes.html#valid-month-string */
export const monthProblem = wholly(readMonth);
/** https://html.spec.whatwg.org/multipage/common-microsyntaxes.html#valid-yearless-date-string */
export const yearlessDateProblem = wholly(readYearless);
/** https://html.spec.whatwg.org/multipage/common-microsyntaxes.html#valid-week-string */
export const weekProblem = wholly(readWeek);
/** https://html.spec.whatwg.org/multipage/common-microsyntaxes.html#valid-time-string */
export const timeProblem = wholly(readTime);
/** https://html.spec.whatwg.org/multipage/common-microsyntaxes.html#valid-time-zone-offset-string */
export const timeZoneProblem = wholly(readZone);
/** https://html.spec.whatwg.org/multipage/common-microsyntaxes.html#valid-local-date-and-time-string */
export const localDateTimeProblem = wholly(readLocal);
/** https://html.spec.whatwg.org/multipage/common-microsyntaxes.html#valid-global-date-and-time-string */
export const globalDateTimeProblem = wholly(readGlobal);
/** A year alone, which only the element `time` knows. */
export const yearProblem = wholly(year);

/** Years and time zones that are valid but rarely intended. */
export const dateWarning: Check = (value) => {
  const yearDigits = /^[ \t\n\f\r]*(\d{4,})(?:-|[ \t\n\f\r]*$)/.exec(value)?.[1];
  const yearNumber = Number(yearDigits);
  if (yearDigits && (yearNumber < MIN_USUAL_YEAR || yearNumber > MAX_USUAL_YEAR))
    return `the year ${quote(yearDigits)} may be mistyped`;
  const zone = /([+-])(\d\d):?(\d\d)[ \t\n\f\r]*$/.exec(value);
  if (!zone || !/:/.test(value.slice(0, zone.index)) === zone.index > 0) return undefined;
  const [, sign, hours, minutes] = zone;
  if (Number(hours) > (sign === "-" ? 12 : 14)) return "time zones are between -12:00 and +14:00";
  return ["00", "30", "45"].includes(minutes ?? "") ? undefined : "the minutes of time zones are 00, 30 or 45";
};
