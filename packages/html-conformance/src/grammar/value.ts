import type { Datatype, Pattern, Patterns } from "./pattern.ts";

/** Why a value is not of a datatype, as the end of a sentence; undefined when it is. */
export type DatatypeProblem = (datatype: Datatype, value: string) => string | undefined;

const SPACES = /[ \t\n\r\f]+/;
const MAX_KNOWN = 2_000;
const MAX_KNOWN_LENGTH = 100;
/** Nu's own library, whose strings are compared without regard to ASCII case. */
const HTML_DATATYPES = "http://whattf.org/datatype-draft";

/**
 * Whether an attribute's value, or an element's text, matches a pattern.
 *
 * @see RELAX NG, section 6.2.8 and 6.2.9
 */
export function createValueMatcher(patterns: Patterns, problem: DatatypeProblem) {
  const { empty, notAllowed, choice, group, interleave } = patterns;
  const known = new Map<Pattern, Map<string, boolean>>();

  /** Remembers results, because values repeat, except for long ones. Text always matches. */
  function matchesValue(pattern: Pattern, value: string): boolean {
    if (pattern.kind === "text") return true;
    if (value.length > MAX_KNOWN_LENGTH) return matches(pattern, value);
    let ofPattern = known.get(pattern);
    if (ofPattern === undefined) {
      if (known.size >= MAX_KNOWN) known.clear();
      ofPattern = new Map();
      known.set(pattern, ofPattern);
    }
    let found = ofPattern.get(value);
    if (found === undefined) {
      found = matches(pattern, value);
      if (ofPattern.size >= MAX_KNOWN) ofPattern.clear();
      ofPattern.set(value, found);
    }
    return found;
  }

  function matches(pattern: Pattern, value: string): boolean {
    switch (pattern.kind) {
      case "text":
        return true;
      case "empty":
        return value.trim() === "";
      case "choice":
        return pattern.children.some((child) => matches(child, value));
      case "value":
        return isValue(pattern.datatype, pattern.value, value);
      case "data":
        return problem(pattern.datatype, value) === undefined && !(pattern.except && matches(pattern.except, value));
      case "list":
        return matchesTokens(pattern.child, value);
      default:
        return false;
    }
  }

  function matchesTokens(pattern: Pattern, value: string): boolean {
    let rest = pattern;
    for (const token of value.split(SPACES)) {
      if (token === "") continue;
      rest = afterToken(rest, token);
      if (rest === notAllowed) return false;
    }
    return rest.nullable;
  }

  function afterToken(pattern: Pattern, token: string): Pattern {
    switch (pattern.kind) {
      case "data":
      case "value":
        return matches(pattern, token) ? empty : notAllowed;
      case "choice":
        return choice(pattern.children.map((child) => afterToken(child, token)));
      case "group": {
        const inFirst = group(afterToken(pattern.first, token), pattern.rest);
        return pattern.first.nullable ? choice([inFirst, afterToken(pattern.rest, token)]) : inFirst;
      }
      case "oneOrMore":
        return group(afterToken(pattern.child, token), choice([pattern, empty]));
      case "interleave":
        return choice(
          pattern.children.map((child, index) => {
            const derived = afterToken(child, token);
            if (derived === notAllowed) return notAllowed;
            return interleave(pattern.children.map((other, at) => (at === index ? derived : other)));
          }),
        );
      default:
        return notAllowed;
    }
  }

  return matchesValue;
}

function isValue({ library, name }: Datatype, wanted: string, value: string): boolean {
  if (library === HTML_DATATYPES) return asciiLowerCase(value) === asciiLowerCase(wanted);
  return name === "token" ? collapse(value) === collapse(wanted) : value === wanted;
}

function collapse(text: string): string {
  return text.split(SPACES).filter(Boolean).join(" ");
}

function asciiLowerCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
