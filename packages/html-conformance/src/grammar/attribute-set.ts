import type { Names } from "./names.ts";
import type { Pattern, Patterns } from "./pattern.ts";

/**
 * Most attributes are optional and independent: they do not change what else may follow. They are separated
 * once for each kind of element, and then need no derivatives, and their combinations on a page create no
 * patterns.
 */
export type AttributeSet = {
  /** The pattern of the value, by the number of the name. */
  readonly independent: ReadonlyMap<number, Pattern>;
  /** What was allowed, without these. */
  readonly rest: Pattern;
};

export function createAttributeSets(patterns: Patterns, names: Names) {
  const { empty } = patterns;
  const nothing: ReadonlyMap<number, Pattern> = new Map();

  function collect(pattern: Pattern): ReadonlyMap<number, Pattern> {
    const optional = optionalAttribute(pattern);
    if (optional) return new Map([optional]);
    switch (pattern.kind) {
      case "after":
        return collect(pattern.inner);
      case "interleave":
        return joined(pattern.children);
      case "group":
        return joined([pattern.first, pattern.rest]);
      case "choice":
        return shared(pattern.children);
      default:
        return nothing;
    }
  }

  function optionalAttribute(pattern: Pattern): [number, Pattern] | undefined {
    if (pattern.kind !== "choice" || pattern.children.length !== 2) return undefined;
    const [first, second] = pattern.children;
    const other = first === empty ? second : second === empty ? first : undefined;
    if (other?.kind !== "attribute" || other.name.type !== "name") return undefined;
    return [names.numberOf(other.name.namespace, other.name.name), other.child];
  }

  function joined(parts: readonly Pattern[]): ReadonlyMap<number, Pattern> {
    const found = new Map<number, Pattern>();
    for (const part of parts) for (const [name, value] of collect(part)) found.set(name, value);
    return found;
  }

  function shared(alternatives: readonly Pattern[]): ReadonlyMap<number, Pattern> {
    const [first, ...others] = alternatives.map(collect);
    if (!first) return nothing;
    return new Map([...first].filter(([name, value]) => others.every((other) => other.get(name) === value)));
  }

  function without(pattern: Pattern, taken: ReadonlyMap<number, Pattern>): Pattern {
    const optional = optionalAttribute(pattern);
    if (optional) return taken.has(optional[0]) ? empty : pattern;
    switch (pattern.kind) {
      case "after":
        return patterns.after(without(pattern.inner, taken), pattern.outer);
      case "interleave":
      case "choice":
        return patterns[pattern.kind](pattern.children.map((child) => without(child, taken)));
      case "group":
        return patterns.group(without(pattern.first, taken), without(pattern.rest, taken));
      default:
        return pattern;
    }
  }

  let known = new Map<Pattern, AttributeSet>();
  return {
    /** @param opened the pattern after an element's start tag: its attributes and its content */
    of(opened: Pattern): AttributeSet {
      let found = known.get(opened);
      if (!found) {
        const independent = collect(opened);
        found = { independent, rest: independent.size === 0 ? opened : without(opened, independent) };
        known.set(opened, found);
      }
      return found;
    },
    forget(): void {
      known = new Map();
    },
  };
}
