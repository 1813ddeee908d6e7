import { createPatterns, type ElementDefinition, type Grammar, type Pattern } from "./pattern.ts";
import type { NameClass, PatternSyntax } from "./syntax.ts";

/**
 * Turns combined definitions into patterns: replaces references by what they refer to, except for elements,
 * which are listed.
 *
 * @throws Error for a reference to nothing, and for a definition that contains itself outside of an element
 * @see RELAX NG, section 4
 */
export function simplify(definitions: ReadonlyMap<string, PatternSyntax>): Grammar {
  const patterns = createPatterns();
  const elements: { name: NameClass; content: Pattern | undefined }[] = [];
  const elementOf = new Map<PatternSyntax, Pattern>();
  const resolved = new Map<string, Pattern | "open">();
  const unread: { index: number; syntax: PatternSyntax }[] = [];

  const reference = (name: string): Pattern => {
    const known = resolved.get(name);
    if (known === "open") throw new Error(`The definition ${name} contains itself outside of an element.`);
    if (known) return known;
    const syntax = definitions.get(name);
    if (!syntax) throw new Error(`There is no definition ${name}.`);
    resolved.set(name, "open");
    const pattern = convert(syntax);
    resolved.set(name, pattern);
    return pattern;
  };

  const element = (syntax: Extract<PatternSyntax, { type: "element" | "attribute" }>): Pattern => {
    const known = elementOf.get(syntax);
    if (known) return known;
    const index = elements.push({ name: syntax.name, content: undefined }) - 1;
    const pattern = patterns.element(index);
    elementOf.set(syntax, pattern);
    unread.push({ index, syntax: syntax.child });
    return pattern;
  };

  const convert = (syntax: PatternSyntax): Pattern => {
    switch (syntax.type) {
      case "empty":
      case "notAllowed":
      case "text":
        return patterns[syntax.type];
      case "choice":
      case "interleave":
        return patterns[syntax.type](syntax.children.map(convert));
      case "group":
        return syntax.children.map(convert).reduceRight((rest, first) => patterns.group(first, rest), patterns.empty);
      case "optional":
        return patterns.choice([convert(syntax.child), patterns.empty]);
      case "zeroOrMore":
        return patterns.choice([patterns.oneOrMore(convert(syntax.child)), patterns.empty]);
      case "oneOrMore":
        return patterns.oneOrMore(convert(syntax.child));
      case "mixed":
        return patterns.interleave([convert(syntax.child), patterns.text]);
      case "list":
        return patterns.list(convert(syntax.child));
      case "attribute":
        return patterns.attribute(syntax.name, convert(syntax.child));
      case "element":
        return element(syntax);
      case "ref":
        return reference(syntax.name);
      case "data": {
        const { library, name, parameters, except } = syntax;
        return patterns.data({ library, name, parameters }, except && convert(except));
      }
      case "value":
        return patterns.value({ library: syntax.library, name: syntax.name, parameters: [] }, syntax.value);
    }
  };

  const start = reference("start");
  for (let next = unread.shift(); next; next = unread.shift()) {
    const found = elements[next.index];
    if (found) found.content = convert(next.syntax);
  }
  return { start, elements: elements as ElementDefinition[], patterns };
}
