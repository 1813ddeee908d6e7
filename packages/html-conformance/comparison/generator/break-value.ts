import type { Random } from "./random.ts";

const ODD = [
  " ",
  "\t",
  "\n",
  "-",
  "+",
  ".",
  ",",
  ";",
  ":",
  "/",
  "%",
  "#",
  "0",
  "1",
  "9",
  "a",
  "Z",
  "é",
  "\u00a0",
  "(",
  ")",
  "'",
  '"',
  "<",
  ">",
  "&",
  "\\",
  "[",
  "]",
  "{",
  "}",
  "|",
  "=",
  "?",
  "@",
  "*",
  "_",
  "\u200b",
  "\ud83d\ude00",
];

/** A value with one thing changed. */
export function breakValue(value: string, random: Random): string {
  const at = random.below(value.length + 1);
  const change = random.below(9);
  switch (change) {
    case 0:
      return "";
    case 1:
      return value.slice(0, at) + value.slice(at + 1);
    case 2:
      return value.slice(0, at) + random.pick(ODD) + value.slice(at + 1);
    case 3:
      return value === value.toUpperCase() ? value.toLowerCase() : value.toUpperCase();
    case 4:
      return value.slice(0, at);
    case 5:
      return `${value} ${value}`;
    case 6:
      return random.pick([" ", "  ", "\n"]) + value + random.pick(["", " "]);
    default:
      return value.slice(0, at) + random.pick(ODD) + value.slice(at);
  }
}
