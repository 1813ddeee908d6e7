import { forEachPattern } from "./names.ts";
import type { Grammar, Pattern } from "./pattern.ts";
import type { NameClass } from "./syntax.ts";

/** The names that a class lists; none for a wildcard. */
export function listNames(names: NameClass): string[] {
  if (names.type === "name") return [names.name];
  return names.type === "choice" ? names.children.flatMap(listNames) : [];
}

/**
 * Names of the attributes or elements that a pattern requires. If only one of several is required, they
 * are alternatives in one entry.
 */
export function requiredNames(grammar: Grammar, pattern: Pattern, kind: "attribute" | "element"): string[][] {
  if (pattern.nullable) return [];
  switch (pattern.kind) {
    case "attribute":
      return kind === "attribute" ? oneOf(listNames(pattern.name)) : [];
    case "element":
      return kind === "element" ? oneOf(listNames(grammar.elements[pattern.element]?.name ?? { type: "any" })) : [];
    case "after":
      return requiredNames(grammar, pattern.inner, kind);
    case "oneOrMore":
      return requiredNames(grammar, pattern.child, kind);
    case "group":
      return [...requiredNames(grammar, pattern.first, kind), ...requiredNames(grammar, pattern.rest, kind)];
    case "interleave":
      return pattern.children.flatMap((child) => requiredNames(grammar, child, kind));
    case "choice": {
      const each = pattern.children.map((child) => requiredNames(grammar, child, kind));
      if (each.some((needed) => needed.length === 0)) return [];
      const shared = (each[0] ?? []).filter((needed) => each.every((other) => other.some((one) => same(one, needed))));
      return shared.length > 0 ? shared : [[...new Set(each.flat(2))]];
    }
    default:
      return [];
  }
}

function oneOf(names: string[]): string[][] {
  return names.length === 0 ? [] : [names];
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, index) => name === b[index]);
}

type Lookup = (namespace: string, name: string) => readonly string[];

/** Which elements may contain an element, by its namespace and name. Computed on first use. */
export function createParents(grammar: Grammar): Lookup {
  return lookup(grammar, (parent, child) =>
    keysOf(child).flatMap((key) => listNames(parent).map((name) => [key, name])),
  );
}

/** Which elements an element may contain, at some place in it. */
export function createChildren(grammar: Grammar): Lookup {
  return lookup(grammar, (parent, child) =>
    keysOf(parent).flatMap((key) => listNames(child).map((name) => [key, name])),
  );
}

function lookup(grammar: Grammar, pairs: (parent: NameClass, child: NameClass) => string[][]): Lookup {
  let listed: Map<string, string[]> | undefined;
  return (namespace, name) => {
    listed ??= relate(grammar, pairs);
    return listed.get(`${namespace} ${name}`) ?? [];
  };
}

function relate(grammar: Grammar, pairs: (parent: NameClass, child: NameClass) => string[][]): Map<string, string[]> {
  const related = new Map<string, Set<string>>();
  for (const { name: parent, content } of grammar.elements) {
    const children = new Set<NameClass>();
    forEachPattern(content, new Set(), (pattern) => {
      const child = pattern.kind === "element" ? grammar.elements[pattern.element]?.name : undefined;
      if (child) children.add(child);
    });
    for (const child of children)
      for (const [key = "", name = ""] of pairs(parent, child))
        related.set(key, (related.get(key) ?? new Set()).add(name));
  }
  return new Map([...related].map(([key, names]) => [key, [...names].sort()]));
}

function keysOf(names: NameClass): string[] {
  if (names.type === "name") return [`${names.namespace} ${names.name}`];
  return names.type === "choice" ? names.children.flatMap(keysOf) : [];
}

/** Names of the attributes that `pattern` allows; empty if it allows any. */
export function allowedAttributes(pattern: Pattern): string[] {
  const found = new Set<string>();
  forEachPattern(pattern, new Set(), (next) => {
    if (next.kind === "attribute") for (const name of listNames(next.name)) found.add(name);
  });
  return [...found].sort();
}

/** The literal values that a pattern allows, for a message; `complete` when nothing else is. */
export function allowedValues(pattern: Pattern): { values: string[]; datatypes: string[] } {
  switch (pattern.kind) {
    case "value":
      return { values: [pattern.value], datatypes: [] };
    case "data":
      return { values: [], datatypes: [pattern.datatype.name] };
    case "list":
    case "oneOrMore":
      return allowedValues(pattern.child);
    case "group":
      return join([allowedValues(pattern.first), allowedValues(pattern.rest)]);
    case "choice":
    case "interleave":
      return join(pattern.children.map(allowedValues));
    default:
      return { values: [], datatypes: [] };
  }
}

function join(parts: readonly { values: string[]; datatypes: string[] }[]) {
  return {
    values: [...new Set(parts.flatMap(({ values }) => values))],
    datatypes: [...new Set(parts.flatMap(({ datatypes }) => datatypes))],
  };
}
