import { NAME_CLASSES } from "./names.ts";

// Regular expressions of XML Schema (https://www.w3.org/TR/xmlschema-2/#regexs), as far as they differ from JavaScript's:
// they match the whole value; "^" and "$" are plain characters; classes have "\i", "\c" and subtractions "[a-z-[aeiou]]".
// JavaScript's flag v has subtractions too, but writes them with "--". The patterns come from the grammar, never from a page.

const ESCAPES: Record<string, string> = {
  i: NAME_CLASSES.start,
  c: NAME_CLASSES.rest,
  d: "\\p{Nd}",
  s: " \\t\\n\\r",
  w: "\\p{L}\\p{M}\\p{N}\\p{S}",
};
const CONTROLS = "nrtpP";

const compiled = new Map<string, RegExp>();

/** True where a whole value matches a pattern. Throws on a pattern that is not one: that is a bug of the grammar. */
export function matchesXsdPattern(pattern: string, value: string): boolean {
  let expression = compiled.get(pattern);
  if (!expression) {
    expression = new RegExp(`^(?:${translate(pattern)})$`, "v");
    compiled.set(pattern, expression);
  }
  return expression.test(value);
}

function translate(pattern: string): string {
  let result = "";
  for (let index = 0; index < pattern.length; ) {
    const character = pattern[index] ?? "";
    if (character === "[") {
      const { text, end } = translateClass(pattern, index);
      result += text;
      index = end;
    } else if (character === "\\") {
      const name = pattern[index + 1] ?? "";
      result += escapeOutside(name);
      index += 2;
    } else {
      result += character === "." ? "[^\\n\\r]" : "^$/".includes(character) ? `\\${character}` : character;
      index++;
    }
  }
  return result;
}

function escapeOutside(name: string): string {
  const members = ESCAPES[name.toLowerCase()];
  if (members !== undefined) return name === name.toLowerCase() ? `[${members}]` : `[^${members}]`;
  return CONTROLS.includes(name) ? `\\${name}` : literal(name);
}

/** A class, from its "[" on; a subtraction becomes JavaScript's difference. */
function translateClass(pattern: string, start: number): { text: string; end: number } {
  let index = start + 1;
  const negated = pattern[index] === "^";
  if (negated) index++;
  let members = "";
  let subtracted = "";
  while (index < pattern.length && pattern[index] !== "]") {
    const character = pattern[index] ?? "";
    if (character === "-" && pattern[index + 1] === "[") {
      const inner = translateClass(pattern, index + 1);
      subtracted = `--${inner.text}`;
      index = inner.end;
    } else if (character === "\\") {
      members += escapeInside(pattern[index + 1] ?? "");
      index += 2;
    } else {
      const isRange = character === "-" && members !== "" && pattern[index + 1] !== "]";
      members += isRange ? "-" : literal(character);
      index++;
    }
  }
  const own = `[${negated ? "^" : ""}${members}]`;
  return { text: subtracted === "" ? own : `[${own}${subtracted}]`, end: index + 1 };
}

function escapeInside(name: string): string {
  const members = ESCAPES[name.toLowerCase()];
  if (members !== undefined) return name === name.toLowerCase() ? members : `[^${members}]`;
  return CONTROLS.includes(name) ? `\\${name}` : literal(name);
}

/** One character that means itself. */
function literal(character: string): string {
  return /[A-Za-z0-9 _]/.test(character) || character > "\x7f"
    ? character
    : `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
}
