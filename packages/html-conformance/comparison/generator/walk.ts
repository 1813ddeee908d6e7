import { allowedAttributes } from "../../src/grammar/expectations.ts";
import type { Grammar, Pattern } from "../../src/grammar/pattern.ts";
import type { NameClass } from "../../src/grammar/syntax.ts";
import { createChooser, type Wishes } from "./choose.ts";
import { giveMeaning } from "./meaning.ts";
import { directElements, elementCosts, memoised, NEVER, parentsOf } from "./measures.ts";
import type { Random } from "./random.ts";
import { HTML, type TreeAttribute, type TreeElement, type TreeNode } from "./tree.ts";
import { drawText, drawValue } from "./values.ts";

const CUSTOM_ELEMENTS = "http://n.validator.nu/custom-elements/";
const XHTML_CUSTOM = "x-item";

/** Derives documents from a grammar. */
export type Walker = ReturnType<typeof createWalker>;

export function createWalker(grammar: Grammar) {
  const costs = elementCosts(grammar);
  const inside = memoised((pattern: Pattern) => directElements(pattern));
  const knowledge = { grammar, costs, inside, attributesOf: memoised(allowedAttributes) };
  const parents = parentsOf(grammar, inside);
  const startIndex = grammar.start.kind === "element" ? grammar.start.element : 0;

  /** The elements on the way from the root to one of them, by index, both included; undefined where there is no way. */
  function pathTo(target: number, random: Random): number[] | undefined {
    const path = [target];
    for (let at = target; at !== startIndex; ) {
      const own = parents.distance[at] ?? NEVER;
      const nearer = (parents[at] ?? []).filter(({ distance }) => distance < own);
      if (nearer.length === 0) return undefined;
      at = random.pick(nearer).parent;
      path.unshift(at);
    }
    return path;
  }

  /**
   * A document in which the targets are, by their index in the grammar, or with `root` an element with what is in it.
   *
   * @returns the root, and the last element that was made of each index
   */
  function generate(random: Random, wishes: Wishes, targets: readonly number[], root = startIndex): Generated {
    let left = wishes.size;
    const made = new Map<number, TreeElement>();
    const { choose, isLeftOut, isMaterial } = createChooser(knowledge, random, wishes);
    const pending = targets.flatMap((target) => {
      const path = pathTo(target, random);
      return path ? [path.slice(1)] : [];
    });

    const element = (index: number, paths: number[][]): TreeElement => {
      left--;
      const definition = grammar.elements[index];
      if (!definition) throw new RangeError(`The grammar has no element ${index}.`);
      const { namespace, name } = nameFrom(definition.name, random);
      const element: TreeElement = { namespace, name, attributes: [], children: [] };
      made.set(index, element);
      const density = wishes.attributesPerElement / Math.max(1, knowledge.attributesOf(definition.content).length);
      const nodes = content(definition.content, paths, density);
      for (const node of nodes)
        if (typeof node !== "string" && "value" in node) addAttribute(element, node);
        else element.children.push(node);
      giveMeaning(element, random);
      return element;
    };

    /** Draws what a pattern allows; paths lead to elements that must be in it. */
    const content = (pattern: Pattern, paths: number[][], density: number): (TreeNode | TreeAttribute)[] => {
      const mine = paths.filter((path) => path[0] !== undefined && inside(pattern).has(path[0]));
      switch (pattern.kind) {
        case "text":
          return random.percent(60) ? [drawText(random)] : [];
        case "data":
        case "value":
        case "list":
          return [drawValue(pattern, random)];
        case "attribute": {
          const { namespace, name } = nameFrom(pattern.name, random);
          return [{ namespace, name, value: drawValue(pattern.child, random) }];
        }
        case "element": {
          const next = mine.filter((path) => path.length > 1).map((path) => path.slice(1));
          return [element(pattern.element, next)];
        }
        case "choice":
          return alternative(pattern.children, pattern, mine, density);
        case "oneOrMore":
          return repeated(pattern.child, mine, density);
        case "group":
          return split([pattern.first, pattern.rest], mine, density).flat();
        case "interleave":
          return interleaved(split(pattern.children, mine, density));
        default:
          return [];
      }
    };

    const alternative = (
      children: readonly Pattern[],
      pattern: Pattern,
      paths: number[][],
      density: number,
    ): (TreeNode | TreeAttribute)[] => {
      const [next] = paths[0] ?? [];
      if (next === undefined && isLeftOut(pattern, density)) return [];
      const leading = next === undefined ? [] : children.filter((child) => inside(child).has(next));
      return content(leading.length > 0 ? random.pick(leading) : choose(children, left), paths, density);
    };

    const split = (parts: readonly Pattern[], paths: number[][], density: number) => {
      const unused = new Set(paths);
      return parts.map((part) => {
        const mine = [...unused].filter((path) => path[0] !== undefined && inside(part).has(path[0]));
        for (const path of mine) unused.delete(path);
        return content(part, mine, density);
      });
    };

    const interleaved = (parts: (TreeNode | TreeAttribute)[][]): (TreeNode | TreeAttribute)[] => {
      const filled = parts.filter((part) => part.length > 0);
      if (filled.length < 2) return filled.flat();
      const queues = filled.map((part) => [...part]);
      const found: (TreeNode | TreeAttribute)[] = [];
      while (queues.length > 0) {
        const at = random.below(queues.length);
        const next = queues[at]?.shift();
        if (next !== undefined) found.push(next);
        if (queues[at]?.length === 0) queues.splice(at, 1);
      }
      return found;
    };

    const repeated = (child: Pattern, paths: number[][], density: number): (TreeNode | TreeAttribute)[] => {
      const found = paths.flatMap((path) => content(child, [path], density));
      const more = paths.length === 0 ? 1 : 0;
      const most = left > 0 && isMaterial(child) ? more + random.below(4) : more;
      for (let count = 0; count < most && (count < more || left > 0); count++)
        found.push(...content(child, [], density));
      return found;
    };

    return { root: element(root, pending), made };
  }

  return { grammar, generate };
}

type Generated = { root: TreeElement; made: ReadonlyMap<number, TreeElement> };

function addAttribute(element: TreeElement, attribute: TreeAttribute): void {
  const same = (other: TreeAttribute) => other.name === attribute.name && other.namespace === attribute.namespace;
  // The grammar calls `lang` of HTML what XML calls it.
  const seen: TreeAttribute =
    element.namespace === HTML && attribute.name === "lang" && attribute.namespace !== ""
      ? { ...attribute, namespace: "" }
      : attribute;
  if (!element.attributes.some((other) => other === seen || same(other))) element.attributes.push(seen);
}

function nameFrom(names: NameClass, random: Random): { namespace: string; name: string } {
  switch (names.type) {
    case "name":
      return names;
    case "choice":
      return nameFrom(random.pick(names.children), random);
    case "namespace":
      return names.namespace === CUSTOM_ELEMENTS
        ? { namespace: HTML, name: XHTML_CUSTOM }
        : { namespace: names.namespace, name: "thing" };
    case "any":
      return { namespace: "http://example.test/other", name: "thing" };
  }
}
