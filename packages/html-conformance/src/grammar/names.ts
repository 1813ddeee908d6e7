import type { Grammar, Pattern } from "./pattern.ts";
import type { NameClass } from "./syntax.ts";

/**
 * Names of elements and attributes as numbers. All names of a namespace that the grammar does not list share
 * one number, so that a page cannot increase their number.
 */
export type Names = ReturnType<typeof createNames>;

/** Cannot be a name in a document. */
const UNLISTED = "\0";

export function createNames(grammar: Grammar) {
  const byNamespace = new Map<string, Map<string, number>>();
  const names: { namespace: string; name: string }[] = [];
  const add = (namespace: string, name: string): void => {
    let found = byNamespace.get(namespace);
    if (!found) {
      found = new Map();
      byNamespace.set(namespace, found);
      if (name !== UNLISTED) add(namespace, UNLISTED);
    }
    if (!found.has(name)) found.set(name, names.push({ namespace, name }) - 1);
  };
  const addClass = (names: NameClass): void => {
    if (names.type === "name") add(names.namespace, names.name);
    else if (names.type === "choice") names.children.forEach(addClass);
    else {
      if (names.type === "namespace") add(names.namespace, UNLISTED);
      if (names.except) addClass(names.except);
    }
  };
  add(UNLISTED, UNLISTED);
  // Most patterns are parts of many elements: their names are known after the first.
  const seen = new Set<Pattern>();
  for (const { name, content } of grammar.elements) {
    addClass(name);
    forEachPattern(content, seen, (pattern) => {
      if (pattern.kind === "attribute") addClass(pattern.name);
    });
  }

  return {
    /** The number of a name, of its namespace's unlisted names, or of any other namespace. */
    numberOf(namespace: string, name: string): number {
      const found = byNamespace.get(namespace);
      return found ? (found.get(name) ?? found.get(UNLISTED) ?? 0) : 0;
    },
    /** True for the number of names that the grammar does not list. */
    isUnlisted: (number: number): boolean => (names[number]?.name ?? UNLISTED) === UNLISTED,
    /** The name of a number. */
    nameOf: (number: number) => names[number] ?? { namespace: UNLISTED, name: UNLISTED },
  };
}

/** Calls `visit` for a pattern and all patterns in it, except those in the elements that it allows. */
export function forEachPattern(pattern: Pattern, seen: Set<Pattern>, visit: (pattern: Pattern) => void): void {
  if (seen.has(pattern)) return;
  seen.add(pattern);
  visit(pattern);
  switch (pattern.kind) {
    case "choice":
    case "interleave":
      for (const child of pattern.children) forEachPattern(child, seen, visit);
      return;
    case "group":
      forEachPattern(pattern.first, seen, visit);
      forEachPattern(pattern.rest, seen, visit);
      return;
    case "oneOrMore":
      forEachPattern(pattern.child, seen, visit);
      return;
    case "after":
      forEachPattern(pattern.inner, seen, visit);
      return;
    default:
      return;
  }
}
