import { htmlSection } from "../finding.ts";
import { inputType } from "./aria/redundant-roles.ts";
import { type ElementRule, formatValue, has, is, type OpenElement, ownText, value } from "./open-element.ts";
import { elementSection } from "./sections.ts";

const LENGTHS = htmlSection("form-control-infrastructure.html#attr-fe-maxlength");
const DIGITS = /^[0-9]{1,15}$/;
const TEXT = new Set(["text", "search", "url", "tel", "email", "password"]);

type Wrong = (attribute: string, message: string, section?: string) => void;

/** What attributes of an `<input>` mean together: limits of length and range, the pattern, the encoding's name, the image. */
export const checkInputValues: ElementRule = (open, report) => {
  const wrong: Wrong = (attribute, message, section = elementSection("input")) =>
    report(open, { rule: `input/${attribute}`, message, section, attribute });
  const type = inputType(open);
  if (TEXT.has(type)) {
    checkLengths(open, value(open, "value") ?? "", "value", wrong);
    checkPattern(open, wrong);
  }
  checkRange(open, type, wrong);
  if (type === "image" && !has(open, "src"))
    report(open, {
      rule: "missing-attribute/src",
      message: 'The attribute "src" is missing on <input type="image">.',
      section: htmlSection("input.html#image-button-state-(type=image)"),
    });
  if (type === "hidden" && is(open, "name", "_charset_") && has(open, "value"))
    wrong(
      "value",
      'The attribute "value" is not allowed on <input type="hidden" name="_charset_">: the browser fills in the encoding.',
      htmlSection("input.html#hidden-state-(type=hidden)"),
    );
};

export const checkTextareaValues: ElementRule = (open, report) =>
  checkLengths(open, ownText(open).replace(/\r\n?/g, "\n"), "maxlength", (attribute, message, section = LENGTHS) =>
    report(open, { rule: `textarea/${attribute}`, message, section, attribute }),
  );

function checkLengths(open: OpenElement, text: string, place: string, wrong: Wrong): void {
  const [least, most] = [limit(open, "minlength"), limit(open, "maxlength")];
  if (most === undefined) return;
  if (least !== undefined && least > most)
    wrong(
      "minlength",
      `The attribute "minlength" of <${open.name}> is ${least}, which is more than its "maxlength", ${most}.`,
      LENGTHS,
    );
  if (text.length > most)
    wrong(
      place,
      `The text of <${open.name}> has ${text.length} characters, but its attribute "maxlength" allows ${most}.`,
      LENGTHS,
    );
}

function limit(open: OpenElement, name: string): number | undefined {
  const text = value(open, name);
  return text !== undefined && DIGITS.test(text) ? Number(text) : undefined;
}

const PATTERN = htmlSection("input.html#attr-input-pattern");
/** Longer patterns are not compiled, which bounds the time. */
const MAX_PATTERN = 10_000;

/** A pattern that does not compile with the flag `v` is ignored by browsers: every value is let through. */
function checkPattern(open: OpenElement, wrong: Wrong): void {
  const pattern = value(open, "pattern");
  if (pattern === undefined || pattern.length > MAX_PATTERN) return;
  try {
    new RegExp(pattern, "v");
  } catch (error) {
    const why = (error as Error).message.replace(/^.*\/v: /s, "");
    wrong(
      "pattern",
      `The pattern "${formatValue(pattern)}" is not a regular expression with the flag "v", and has no effect: ${why}.`,
      PATTERN,
    );
  }
}

/** What a value of a type is worth, to compare it with others; undefined where it is not valid. */
const WORTH: Readonly<Record<string, RegExp>> = {
  date: /^\d{4,}-\d\d-\d\d$/,
  month: /^\d{4,}-\d\d$/,
  week: /^\d{4,}-W\d\d$/,
  "datetime-local": /^\d{4,}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?$/,
};

function isLess(type: string, a: string, b: string): boolean {
  if (type === "number" || type === "range") return Number(a) < Number(b);
  const form = WORTH[type];
  if (!form?.test(a) || !form.test(b)) return false;
  // Years may have more than four digits; the rest has a fixed width.
  const years = [a, b].map((text) => Number.parseInt(text, 10)) as [number, number];
  const rest = (text: string) => text.replace(/^\d+/, "").replace(" ", "T");
  return years[0] !== years[1] ? years[0] < years[1] : rest(a) < rest(b);
}

/** `max` is not below `min`, unless times go around midnight. A range has 0 and 100 without them. */
function checkRange(open: OpenElement, type: string, wrong: Wrong): void {
  const isRange = type === "range";
  const least = value(open, "min") ?? (isRange ? "0" : undefined);
  const most = value(open, "max") ?? (isRange ? "100" : undefined);
  if (!least || !most || !isLess(type, most, least)) return;
  const attribute = has(open, "max") ? "max" : "min";
  wrong(
    attribute,
    `The largest value of <input type="${type}">, ${formatValue(most)}, is less than its smallest, ${formatValue(least)}.`,
    htmlSection("input.html#the-min-and-max-attributes"),
  );
}
