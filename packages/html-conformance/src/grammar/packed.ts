import { createPatterns, type Grammar, type Pattern } from "./pattern.ts";
import type { NameClass, Parameter } from "./syntax.ts";

/**
 * A grammar as JSON: patterns in an order in which each one refers to earlier ones, by index. Strings,
 * classes of names and datatypes are listed once.
 */
export type PackedGrammar = {
  names: NameClass[];
  datatypes: { library: string; name: string; parameters: readonly Parameter[] }[];
  strings: string[];
  patterns: PackedPattern[];
  elements: [name: number, content: number][];
  start: number;
};

/** A letter for the kind, then indexes; -1 means none. */
type PackedPattern = [kind: string, ...indexes: number[]];

const letters = {
  empty: "e",
  notAllowed: "n",
  text: "t",
  choice: "c",
  interleave: "i",
  group: "g",
  oneOrMore: "o",
  list: "l",
  attribute: "a",
  element: "E",
  data: "d",
  value: "v",
} as const;

/** @throws Error for a grammar with patterns that only occur while a document is read */
export function packGrammar({ start, elements }: Grammar): PackedGrammar {
  const names = createTable<NameClass>();
  const datatypes = createTable<PackedGrammar["datatypes"][number]>();
  const strings = createTable<string>();
  const patterns: PackedPattern[] = [];
  const indexes = new Map<Pattern, number>();

  const pack = (pattern: Pattern): number => {
    const known = indexes.get(pattern);
    if (known !== undefined) return known;
    const packed = body(pattern);
    const index = patterns.push(packed) - 1;
    indexes.set(pattern, index);
    return index;
  };
  const body = (pattern: Pattern): PackedPattern => {
    switch (pattern.kind) {
      case "empty":
      case "notAllowed":
      case "text":
        return [letters[pattern.kind]];
      case "choice":
      case "interleave":
        return [letters[pattern.kind], ...pattern.children.map(pack)];
      case "group":
        return [letters.group, pack(pattern.first), pack(pattern.rest)];
      case "oneOrMore":
      case "list":
        return [letters[pattern.kind], pack(pattern.child)];
      case "attribute":
        return [letters.attribute, names.index(pattern.name), pack(pattern.child)];
      case "element":
        return [letters.element, pattern.element];
      case "data":
        return [letters.data, datatypes.index(pattern.datatype), pattern.except ? pack(pattern.except) : -1];
      case "value":
        return [letters.value, datatypes.index(pattern.datatype), strings.index(pattern.value)];
      case "after":
        throw new Error("A grammar has no pattern of what follows an open element.");
    }
  };
  return {
    start: pack(start),
    elements: elements.map(({ name, content }) => [names.index(name), pack(content)]),
    names: names.entries,
    datatypes: datatypes.entries,
    strings: strings.entries,
    patterns,
  };
}

/** @throws TypeError or Error when this was not made by `packGrammar` */
export function unpackGrammar(packed: PackedGrammar): Grammar {
  const patterns = createPatterns();
  const made: Pattern[] = [];
  const at = <Entry>(entries: readonly Entry[], index: number | undefined): Entry => {
    const entry = index === undefined ? undefined : entries[index];
    if (entry === undefined) throw new Error(`The compiled grammar is damaged: there is no entry ${index}.`);
    return entry;
  };
  for (const [kind, ...indexes] of packed.patterns) made.push(unpack(kind, indexes));

  function unpack(kind: string, indexes: readonly number[]): Pattern {
    const [first, second] = indexes;
    switch (kind) {
      case letters.empty:
        return patterns.empty;
      case letters.notAllowed:
        return patterns.notAllowed;
      case letters.text:
        return patterns.text;
      case letters.choice:
        return patterns.choice(indexes.map((index) => at(made, index)));
      case letters.interleave:
        return patterns.interleave(indexes.map((index) => at(made, index)));
      case letters.group:
        return patterns.group(at(made, first), at(made, second));
      case letters.oneOrMore:
        return patterns.oneOrMore(at(made, first));
      case letters.list:
        return patterns.list(at(made, first));
      case letters.attribute:
        return patterns.attribute(at(packed.names, first), at(made, second));
      case letters.element:
        return patterns.element(first ?? 0);
      case letters.data:
        return patterns.data(at(packed.datatypes, first), second === -1 ? undefined : at(made, second));
      case letters.value:
        return patterns.value(at(packed.datatypes, first), at(packed.strings, second));
      default:
        throw new Error(`The compiled grammar is damaged: ${JSON.stringify(kind)} is not a kind of pattern.`);
    }
  }

  const elements = packed.elements.map(([name, content]) => ({
    name: at(packed.names, name),
    content: at(made, content),
  }));
  return { start: at(made, packed.start), elements, patterns };
}

function createTable<Entry>() {
  const entries: Entry[] = [];
  const indexes = new Map<string, number>();
  return {
    entries,
    index(entry: Entry): number {
      const key = JSON.stringify(entry);
      const known = indexes.get(key);
      if (known !== undefined) return known;
      indexes.set(key, entries.length);
      return entries.push(entry) - 1;
    },
  };
}
