/** Helpers of the datatypes: classes of characters, and texts for messages. */

/** A check of a value: why the value is wrong, as the end of a sentence, or undefined. */
export type Check = (value: string) => string | undefined;

const MAX_QUOTED = 40;
const NAMES: Record<number, string> = {
  9: "a tab",
  10: "a line feed",
  12: "a form feed",
  13: "a carriage return",
  32: "a space",
  34: "a double quote",
  160: "a no-break space",
};

/** Invisible characters: controls, format characters, surrogates, noncharacters and separators. */
const INVISIBLE = /[\p{C}\p{Z}]/u;

/** A part of a value in double quotes, clipped to what fits in a message. */
export function quote(text: string): string {
  return `"${text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text}"`;
}

/** Names the character at an index of a value: `"a"`, `a space`, `U+0000`, `the end of the value`. */
export function characterAt(value: string, index: number): string {
  const code = value.codePointAt(index);
  if (code === undefined) return "the end of the value";
  const name = NAMES[code];
  if (name) return name;
  const text = String.fromCodePoint(code);
  return INVISIBLE.test(text) ? `U+${code.toString(16).toUpperCase().padStart(4, "0")}` : `"${text}"`;
}

/** ASCII whitespace (Infra Standard): tab, line feed, form feed, carriage return, space. */
export function isSpace(code: number): boolean {
  return code === 32 || code === 9 || code === 10 || code === 12 || code === 13;
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

export function isAlpha(code: number): boolean {
  const lower = code | 32;
  return lower >= 97 && lower <= 122;
}

export function isHexDigit(code: number): boolean {
  const lower = code | 32;
  return isDigit(code) || (lower >= 97 && lower <= 102);
}

/** The value without ASCII whitespace at its ends. */
export function stripSpaces(value: string): string {
  let start = 0;
  let end = value.length;
  while (start < end && isSpace(value.charCodeAt(start))) start++;
  while (end > start && isSpace(value.charCodeAt(end - 1))) end--;
  return start === 0 && end === value.length ? value : value.slice(start, end);
}

/** The parts of a value between ASCII whitespace, one after the other. */
export function* spaceSeparated(value: string): Generator<string> {
  let start = -1;
  for (let index = 0; index < value.length; index++) {
    if (isSpace(value.charCodeAt(index))) {
      if (start >= 0) yield value.slice(start, index);
      start = -1;
    } else if (start < 0) start = index;
  }
  if (start >= 0) yield value.slice(start);
}

/** The parts of a value between ASCII whitespace; none of an empty value. */
export function splitOnSpaces(value: string): string[] {
  return [...spaceSeparated(value)];
}

/** The index after the run of digits that starts at an index. */
export function skipDigits(value: string, index: number): number {
  let at = index;
  while (at < value.length && isDigit(value.charCodeAt(at))) at++;
  return at;
}

/** The value with A to Z in lower case; other letters stay. */
export function asciiLowerCase(value: string): string {
  return /[A-Z]/.test(value) ? value.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : value;
}
