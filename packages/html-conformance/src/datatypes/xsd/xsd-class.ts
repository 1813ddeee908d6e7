import { NAME_CLASSES } from "../names.ts";

// The character classes of https://www.w3.org/TR/xmlschema-2/#charcter-classes, written as those of JavaScript with the flag
// v: it has subtractions too, as "--". "\i" and "\c" are the characters of names.

const ESCAPES: Record<string, string> = {
  i: NAME_CLASSES.start,
  c: NAME_CLASSES.rest,
  d: "\\p{Nd}",
  s: " \\t\\n\\r",
  w: "\\p{L}\\p{M}\\p{N}\\p{S}",
};

/** A class in JavaScript's form, and the index after it in the pattern. */
type Translated = { text: string; end: number };

/** The class that a pattern has at an index: one in brackets, an escape, "." or one character. */
export function readClass(pattern: string, index: number): Translated {
  const character = String.fromCodePoint(pattern.codePointAt(index) ?? 0);
  if (character === "[") return readBrackets(pattern, index);
  if (character === ".") return { text: "[^\\n\\r]", end: index + 1 };
  if (character !== "\\") return { text: `[${literal(character)}]`, end: index + character.length };
  const { text, end } = readEscape(pattern, index);
  return { text: `[${text}]`, end };
}

function readBrackets(pattern: string, start: number): Translated {
  let index = start + 1;
  const negated = pattern[index] === "^";
  if (negated) index++;
  let members = "";
  let subtracted = "";
  while (index < pattern.length && pattern[index] !== "]") {
    const character = pattern[index] ?? "";
    if (character === "-" && pattern[index + 1] === "[") {
      const inner = readBrackets(pattern, index + 1);
      subtracted = `--${inner.text}`;
      index = inner.end;
    } else if (character === "\\") {
      const escaped = readEscape(pattern, index);
      members += escaped.text;
      index = escaped.end;
    } else {
      const isRange = character === "-" && members !== "" && pattern[index + 1] !== "]";
      members += isRange ? "-" : literal(character);
      index++;
    }
  }
  const own = `[${negated ? "^" : ""}${members}]`;
  return { text: subtracted === "" ? own : `[${own}${subtracted}]`, end: index + 1 };
}

/** What an escape stands for, as members of a class. */
function readEscape(pattern: string, index: number): Translated {
  const name = pattern[index + 1] ?? "";
  if (name === "p" || name === "P") {
    const end = pattern.indexOf("}", index) + 1;
    return { text: pattern.slice(index, end), end };
  }
  const members = ESCAPES[name.toLowerCase()];
  const text = members === undefined ? ("nrt".includes(name) ? `\\${name}` : literal(name)) : members;
  return { text: members !== undefined && name !== name.toLowerCase() ? `[^${members}]` : text, end: index + 2 };
}

/** One character that means itself. */
function literal(character: string): string {
  const isPlain = /[A-Za-z0-9 _]/.test(character) || character > "\x7f";
  return isPlain ? character : `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
}
