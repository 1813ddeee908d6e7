import { type Check, characterAt, isDigit, skipDigits } from "./text.ts";

/** What each argument of a command is: `n` a number, `f` a flag. */
const ARGUMENTS: Record<string, string> = {
  M: "nn",
  L: "nn",
  H: "n",
  V: "n",
  C: "nnnnnn",
  S: "nnnn",
  Q: "nnnn",
  T: "nn",
  A: "nnnffnn",
  Z: "",
};

function isPathSpace(code: number): boolean {
  return code === 32 || code === 9 || code === 10 || code === 12 || code === 13;
}

function skipSpaces(value: string, start: number): number {
  let index = start;
  while (isPathSpace(value.charCodeAt(index))) index++;
  return index;
}

/** Whitespace with at most one comma in it. */
function skipSeparator(value: string, start: number): number {
  const index = skipSpaces(value, start);
  return value[index] === "," ? skipSpaces(value, index + 1) : index;
}

/** The index after the number that starts at an index, or -1. A trailing dot is accepted, as in SVG 1.1. */
function skipNumber(value: string, start: number): number {
  let index = start;
  if (value[index] === "+" || value[index] === "-") index++;
  const whole = skipDigits(value, index);
  let end = whole;
  if (value[end] === ".") {
    end = skipDigits(value, end + 1);
    if (whole === index && end === whole + 1) return -1;
  } else if (whole === index) return -1;
  if (value[end] === "e" || value[end] === "E") {
    const sign = value[end + 1] === "+" || value[end + 1] === "-" ? 1 : 0;
    if (isDigit(value.charCodeAt(end + 1 + sign))) return skipDigits(value, end + 1 + sign);
  }
  return end;
}

/** https://svgwg.org/svg2-draft/paths.html#PathDataBNF */
export const pathDataProblem: Check = (value) => {
  let index = skipSpaces(value, 0);
  if (value.slice(index).trim() === "none") return undefined;
  const start = index;
  while (index < value.length) {
    const command = value[index] ?? "";
    const kinds = ARGUMENTS[command.toUpperCase()];
    if (kinds === undefined) return `${characterAt(value, index)} at index ${index} is not a command`;
    if (index === start && command !== "M" && command !== "m")
      return `it begins with "${command}", not with "M" or "m"`;
    index = skipSpaces(value, index + 1);
    if (kinds === "") continue;
    const end = readArguments(value, index, command, kinds);
    if (typeof end === "string") return end;
    index = end;
  }
  return undefined;
};

/** Reads as many sequences of arguments as there are, one at least. */
function readArguments(value: string, start: number, command: string, kinds: string): number | string {
  let index = start;
  for (let read = 0; ; read++) {
    const kind = kinds[read % kinds.length];
    const character = value[index];
    const end = kind === "f" ? (character === "0" || character === "1" ? index + 1 : -1) : skipNumber(value, index);
    if (end < 0) {
      const expected = kind === "f" ? 'a flag ("0" or "1")' : "a number";
      return `${expected} for the command "${command}" is expected at index ${index}, but ${characterAt(value, index)} is found`;
    }
    const next = skipSpaces(value, end);
    const complete = read % kinds.length === kinds.length - 1;
    if (complete && value[next] !== "," && skipNumber(value, next) < 0) return next;
    index = skipSeparator(value, end);
  }
}
