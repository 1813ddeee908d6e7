import { listNames } from "../../src/grammar/expectations.ts";
import type { Grammar, Pattern } from "../../src/grammar/pattern.ts";
import { costOf } from "./measures.ts";
import type { Random } from "./random.ts";

/** What a document is made of. */
export type Wishes = {
  /** Elements that are preferred where there is a choice; any without. */
  palette?: ReadonlySet<string>;
  /** Attributes that are often there; others seldom. */
  attributes?: ReadonlySet<string>;
  /** How many optional attributes an element has on average. */
  attributesPerElement: number;
  /** So many elements at most, but for those that must be there. */
  size: number;
};

/** What is known of a grammar. */
export type Knowledge = {
  grammar: Grammar;
  costs: readonly number[];
  inside(pattern: Pattern): ReadonlySet<number>;
  attributesOf(pattern: Pattern): readonly string[];
};

/** There are very many of these. */
const SELDOM = /^(?:on|its-)/;

/** Chooses between alternatives. */
export function createChooser({ grammar, costs, inside, attributesOf }: Knowledge, random: Random, wishes: Wishes) {
  /** Something that makes elements or text, not attributes alone. */
  const isMaterial = (pattern: Pattern): boolean => inside(pattern).size > 0 || pattern.kind === "text";

  const leadsTo = (pattern: Pattern, names: ReadonlySet<string>): boolean =>
    [...inside(pattern)].some((index) => {
      const name = grammar.elements[index]?.name;
      return name !== undefined && listNames(name).some((one) => names.has(one));
    });

  const cheapest = (children: readonly Pattern[]): Pattern => {
    const each = children.map((child) => costOf(child, costs));
    const least = Math.min(...each);
    return random.pick(children.filter((_child, at) => each[at] === least));
  };

  const preferred = (children: readonly Pattern[]): Pattern => {
    const { palette } = wishes;
    if (!palette || random.percent(5)) return random.pick(children);
    const fitting = children.filter((child) => leadsTo(child, palette));
    return fitting.length > 0 ? random.pick(fitting) : cheapest(children);
  };

  /** One of the alternatives. */
  const choose = (children: readonly Pattern[], left: number): Pattern => {
    const empty = children.find(({ kind }) => kind === "empty" || kind === "text");
    const others = children.filter((child) => child !== empty);
    if (!others.some(isMaterial)) return random.pick(others.length > 0 ? others : children);
    if (left <= 0) return cheapest(children);
    if (empty && random.percent(35)) return empty;
    return preferred(others);
  };

  /** Whether an attribute, or a group of attributes, that need not be there is there. */
  const isLeftOut = (pattern: Pattern, density: number): boolean => {
    if (!pattern.nullable || isMaterial(pattern)) return false;
    const names = attributesOf(pattern);
    if (names.some((name) => wishes.attributes?.has(name))) return random.percent(60);
    if (names.every((name) => SELDOM.test(name))) return random.next() >= density / 10;
    return random.next() >= (names.length === 1 ? density : Math.max(density, 0.08));
  };

  return { choose, isLeftOut, isMaterial };
}
