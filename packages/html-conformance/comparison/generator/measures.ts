import { forEachPattern } from "../../src/grammar/names.ts";
import type { Grammar, Pattern } from "../../src/grammar/pattern.ts";

/** More than any document needs. */
export const NEVER = 1_000;

/** Remembers a function of a pattern. */
export function memoised<Value>(compute: (pattern: Pattern) => Value): (pattern: Pattern) => Value {
  const known = new Map<Pattern, Value>();
  return (pattern) => {
    let found = known.get(pattern);
    if (found === undefined) {
      found = compute(pattern);
      known.set(pattern, found);
    }
    return found;
  };
}

/** The elements that a pattern allows, by index, but not those in them. */
export function directElements(pattern: Pattern): Set<number> {
  const found = new Set<number>();
  forEachPattern(pattern, new Set(), (next) => {
    if (next.kind === "element") found.add(next.element);
  });
  return found;
}

/** How many elements a pattern needs at least. */
export function costOf(pattern: Pattern, costs: readonly number[]): number {
  if (pattern.nullable) return 0;
  switch (pattern.kind) {
    case "element":
      return costs[pattern.element] ?? NEVER;
    case "choice":
      return Math.min(...pattern.children.map((child) => costOf(child, costs)));
    case "interleave":
      return pattern.children.reduce((sum, child) => sum + costOf(child, costs), 0);
    case "group":
      return costOf(pattern.first, costs) + costOf(pattern.rest, costs);
    case "oneOrMore":
      return costOf(pattern.child, costs);
    case "notAllowed":
      return NEVER;
    default:
      return 0;
  }
}

/** The least size of each element with what must be in it. */
export function elementCosts({ elements }: Grammar): number[] {
  const costs = elements.map(() => NEVER);
  for (let changed = true; changed; ) {
    changed = false;
    for (const [index, { content }] of elements.entries()) {
      const found = Math.min(NEVER, 1 + costOf(content, costs));
      if (found >= (costs[index] ?? NEVER)) continue;
      costs[index] = found;
      changed = true;
    }
  }
  return costs;
}

type Parents = { parent: number; distance: number }[][] & { distance: number[] };

/** For each element those that may contain it, with their distance from the root. */
export function parentsOf({ elements, start }: Grammar, inside: (pattern: Pattern) => Set<number>): Parents {
  const distance = elements.map(() => NEVER);
  const first = start.kind === "element" ? start.element : 0;
  distance[first] = 0;
  const queue = [first];
  for (const index of queue) {
    const content = elements[index]?.content;
    for (const child of content ? inside(content) : [])
      if (distance[child] === NEVER) {
        distance[child] = (distance[index] ?? 0) + 1;
        queue.push(child);
      }
  }
  const found: { parent: number; distance: number }[][] = elements.map(() => []);
  for (const [parent, { content }] of elements.entries())
    for (const child of inside(content)) found[child]?.push({ parent, distance: distance[parent] ?? NEVER });
  return Object.assign(found, { distance });
}
