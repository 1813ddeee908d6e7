import type { Names } from "./names.ts";
import { containsName, type Grammar, type Pattern } from "./pattern.ts";
import type { NameClass } from "./syntax.ts";

/**
 * What a grammar allows after each event of a document, by derivatives: from a pattern and an event
 * to the pattern of what may follow, `notAllowed` when the event is not allowed. Results are remembered,
 * so that the second document costs almost only look-ups. Names are numbers of `names`.
 *
 * @see J. Clark, An algorithm for RELAX NG validation
 */
export type Derivatives = ReturnType<typeof createDerivatives>;

const LAX = 1;

export function createDerivatives({ elements, patterns }: Grammar, names: Names) {
  const { empty, notAllowed, after, choice, interleave, group } = patterns;
  const memories: Map<Pattern, unknown>[] = [];

  /** Remembers a function of a pattern and a number. */
  const remembered = (compute: (pattern: Pattern, key: number) => Pattern) => {
    const known = new Map<Pattern, Map<number, Pattern>>();
    memories.push(known);
    return (pattern: Pattern, key: number): Pattern => {
      let ofPattern = known.get(pattern);
      if (ofPattern === undefined) {
        ofPattern = new Map();
        known.set(pattern, ofPattern);
      }
      let found = ofPattern.get(key);
      if (found === undefined) {
        found = compute(pattern, key);
        ofPattern.set(key, found);
      }
      return found;
    };
  };
  const contains = (classOfNames: NameClass, key: number): boolean => {
    const { namespace, name } = names.nameOf(key);
    return containsName(classOfNames, namespace, name);
  };

  const mapOuter = (pattern: Pattern, change: (outer: Pattern) => Pattern): Pattern => {
    if (pattern.kind === "after") return after(pattern.inner, change(pattern.outer));
    if (pattern.kind === "choice") return choice(pattern.children.map((child) => mapOuter(child, change)));
    return pattern;
  };
  const replaced = (children: readonly Pattern[], index: number, by: Pattern): Pattern =>
    interleave(children.map((child, at) => (at === index ? by : child)));
  const interleaved = (children: readonly Pattern[], derive: (child: Pattern) => Pattern): Pattern =>
    choice(
      children.flatMap((child, index) => {
        const derived = derive(child);
        return derived === notAllowed ? [] : mapOuter(derived, (outer) => replaced(children, index, outer));
      }),
    );

  /** With `lax`, what must come before the element is assumed to be there. */
  const createOpenTag = (lax: boolean) => {
    const openTag = remembered((pattern, key): Pattern => {
      switch (pattern.kind) {
        case "element": {
          const element = elements[pattern.element];
          return element && contains(element.name, key) ? after(element.content, empty) : notAllowed;
        }
        case "choice":
          return choice(pattern.children.map((child) => openTag(child, key)));
        case "interleave":
          return interleaved(pattern.children, (child) => openTag(child, key));
        case "group": {
          const inFirst = mapOuter(openTag(pattern.first, key), (outer) => group(outer, pattern.rest));
          return pattern.first.nullable || lax ? choice([inFirst, openTag(pattern.rest, key)]) : inFirst;
        }
        case "oneOrMore":
          return mapOuter(openTag(pattern.child, key), (outer) => group(outer, choice([pattern, empty])));
        case "after":
          return mapOuter(openTag(pattern.inner, key), (outer) => after(outer, pattern.outer));
        default:
          return notAllowed;
      }
    });
    return openTag;
  };
  const openTag = createOpenTag(false);
  const openTagLax = createOpenTag(true);

  const attribute = remembered((pattern, key): Pattern => {
    switch (pattern.kind) {
      case "attribute":
        return contains(pattern.name, key) ? after(pattern.child, empty) : notAllowed;
      case "choice":
        return choice(pattern.children.map((child) => attribute(child, key)));
      case "interleave":
        return interleaved(pattern.children, (child) => attribute(child, key));
      case "group":
        return choice([
          mapOuter(attribute(pattern.first, key), (outer) => group(outer, pattern.rest)),
          mapOuter(attribute(pattern.rest, key), (outer) => group(pattern.first, outer)),
        ]);
      case "oneOrMore":
        return mapOuter(attribute(pattern.child, key), (outer) => group(outer, choice([pattern, empty])));
      case "after":
        return mapOuter(attribute(pattern.inner, key), (outer) => after(outer, pattern.outer));
      default:
        return notAllowed;
    }
  });

  /** After the last attribute; with `lax`, missing attributes are assumed to be there. */
  const closeTag = remembered((pattern, lax): Pattern => {
    const close = (child: Pattern) => closeTag(child, lax);
    switch (pattern.kind) {
      case "attribute":
        return lax === LAX ? empty : notAllowed;
      case "choice":
      case "interleave":
        return patterns[pattern.kind](pattern.children.map(close));
      case "group":
        return group(close(pattern.first), close(pattern.rest));
      case "oneOrMore":
        return patterns.oneOrMore(close(pattern.child));
      case "after":
        return after(close(pattern.inner), pattern.outer);
      default:
        return pattern;
    }
  });

  /** Text that is not only white space. Typed content is accepted as it is. */
  const text = remembered((pattern): Pattern => {
    const one = (child: Pattern) => text(child, 0);
    switch (pattern.kind) {
      case "text":
        return pattern;
      case "data":
      case "value":
      case "list":
        return empty;
      case "choice":
        return choice(pattern.children.map(one));
      case "interleave":
        return choice(
          pattern.children.map((child, index) => {
            const derived = one(child);
            return derived === notAllowed ? notAllowed : replaced(pattern.children, index, derived);
          }),
        );
      case "group": {
        const inFirst = group(one(pattern.first), pattern.rest);
        return pattern.first.nullable ? choice([inFirst, one(pattern.rest)]) : inFirst;
      }
      case "oneOrMore":
        return group(one(pattern.child), choice([pattern, empty]));
      case "after":
        return after(one(pattern.inner), pattern.outer);
      default:
        return notAllowed;
    }
  });

  /** The end of an element; with `lax`, missing content is assumed to be there. */
  const endTag = remembered((pattern, lax): Pattern => {
    if (pattern.kind === "choice") return choice(pattern.children.map((child) => endTag(child, lax)));
    if (pattern.kind !== "after") return notAllowed;
    return lax === LAX || mayBeEmpty(pattern.inner) ? pattern.outer : notAllowed;
  });

  /** A data pattern in an element is checked elsewhere, as the Nu checker does: here it may be empty. */
  function mayBeEmpty(pattern: Pattern): boolean {
    if (pattern.nullable) return true;
    switch (pattern.kind) {
      case "data":
        return true;
      case "choice":
        return pattern.children.some(mayBeEmpty);
      case "interleave":
        return pattern.children.every(mayBeEmpty);
      case "group":
        return mayBeEmpty(pattern.first) && mayBeEmpty(pattern.rest);
      case "oneOrMore":
        return mayBeEmpty(pattern.child);
      default:
        return false;
    }
  }

  return {
    openTag: (pattern: Pattern, name: number, lax = false) => (lax ? openTagLax : openTag)(pattern, name),
    attribute,
    closeTag: (pattern: Pattern, lax = false) => closeTag(pattern, lax ? LAX : 0),
    text: (pattern: Pattern) => text(pattern, 0),
    endTag: (pattern: Pattern, lax = false) => endTag(pattern, lax ? LAX : 0),
    mayBeEmpty,
    /** Forgets what was remembered. */
    forget(): void {
      for (const memory of memories) memory.clear();
    },
  };
}
