import { breakValue } from "./break-value.ts";
import type { Random } from "./random.ts";
import { copyOf, elementsOf, type TreeAttribute, type TreeElement } from "./tree.ts";
import { drawText } from "./values.ts";

/** Names to add and to rename to, and a value that an attribute of the name may have. */
export type Vocabulary = {
  elements: readonly { namespace: string; name: string }[];
  attributes: readonly string[];
  valueOf(attribute: string, random: Random): string;
  /** An element as it may be, with what must be in it. */
  sample(random: Random): TreeElement;
};

export type Mutation = { name: string; mutate(root: TreeElement, random: Random, words: Vocabulary): boolean };

const mutations: readonly (Mutation & { weight: number })[] = [
  {
    name: "drop element",
    weight: 3,
    mutate: (root, random) => withParent(root, random, (parent, at) => void parent.children.splice(at, 1)),
  },
  {
    name: "unwrap element",
    weight: 2,
    mutate: (root, random) =>
      withParent(root, random, (parent, at, element) => void parent.children.splice(at, 1, ...element.children)),
  },
  {
    name: "add element",
    weight: 5,
    mutate(root, random, words) {
      const parent = random.pick(elementsOf(root));
      parent.children.splice(random.below(parent.children.length + 1), 0, words.sample(random));
      return true;
    },
  },
  {
    name: "move element",
    weight: 3,
    mutate: (root, random) =>
      withParent(root, random, (parent, at, element) => {
        const inside = new Set(elementsOf(element));
        const others = elementsOf(root).filter((other) => !inside.has(other));
        parent.children.splice(at, 1);
        const target = random.pick(others);
        target.children.splice(random.below(target.children.length + 1), 0, element);
      }),
  },
  {
    name: "duplicate element",
    weight: 2,
    mutate: (root, random) =>
      withParent(root, random, (parent, at, element) => void parent.children.splice(at, 0, copyOf(element))),
  },
  {
    name: "rename element",
    weight: 4,
    mutate(root, random, words) {
      const element = random.pick(elementsOf(root));
      const other = random.percent(80)
        ? random.pick(words.elements)
        : { namespace: element.namespace, name: `${element.name}x` };
      Object.assign(element, other);
      return true;
    },
  },
  {
    name: "wrap element",
    weight: 3,
    mutate: (root, random, words) =>
      withParent(root, random, (parent, at, element) => {
        const wrapper = { ...random.pick(words.elements), attributes: [], children: [element] };
        parent.children.splice(at, 1, wrapper);
      }),
  },
  {
    name: "add text",
    weight: 2,
    mutate(root, random) {
      const parent = random.pick(elementsOf(root));
      parent.children.splice(
        random.below(parent.children.length + 1),
        0,
        random.percent(80) ? drawText(random) : "\u00a0",
      );
      return true;
    },
  },
  {
    name: "drop text",
    weight: 1,
    mutate(root, random) {
      const element = random.pick(elementsOf(root));
      const before = element.children.length;
      element.children = element.children.filter((child) => typeof child !== "string");
      return element.children.length < before;
    },
  },
  {
    name: "add attribute",
    weight: 6,
    mutate(root, random, words) {
      const element = random.pick(elementsOf(root));
      const name = random.percent(90)
        ? random.pick(words.attributes)
        : random.pick(["foo", "data-", "data-x", "on", "xml:lang", "xmlns", "a:b", "aria-foo"]);
      if (element.attributes.some((attribute) => attribute.name === name)) return false;
      element.attributes.push({ namespace: "", name, value: words.valueOf(name, random) });
      return true;
    },
  },
  {
    name: "drop attribute",
    weight: 3,
    mutate: (root, random) => withAttribute(root, random, (element, at) => void element.attributes.splice(at, 1)),
  },
  {
    name: "move attribute",
    weight: 2,
    mutate: (root, random) =>
      withAttribute(root, random, (element, at, attribute) => {
        element.attributes.splice(at, 1);
        const other = random.pick(elementsOf(root));
        if (!other.attributes.some(({ name }) => name === attribute.name)) other.attributes.push(attribute);
      }),
  },
  {
    name: "rename attribute",
    weight: 2,
    mutate: (root, random, words) =>
      withAttribute(root, random, (element, _at, attribute) => {
        const name = random.pick(words.attributes);
        if (!element.attributes.some((other) => other.name === name)) attribute.name = name;
      }),
  },
  {
    name: "break value",
    weight: 6,
    mutate: (root, random, words) =>
      withAttribute(root, random, (_element, _at, attribute) => {
        attribute.value = random.percent(40)
          ? words.valueOf(random.pick(words.attributes), random)
          : breakValue(attribute.value, random);
      }),
  },
  {
    name: "same value",
    weight: 1,
    mutate: (root, random) =>
      withAttribute(root, random, (_element, _at, attribute) => {
        const same = elementsOf(root).flatMap(({ attributes }) =>
          attributes.filter(({ name }) => name === attribute.name),
        );
        attribute.value = random.pick(same).value;
      }),
  },
];
const weighted = mutations.flatMap(({ weight, ...mutation }) => Array.from({ length: weight }, () => mutation));

/** A copy with one thing changed, and what that is. */
export function mutateTree(root: TreeElement, random: Random, words: Vocabulary): { root: TreeElement; name: string } {
  for (;;) {
    const copy = copyOf(root);
    const { name, mutate } = random.pick(weighted);
    if (mutate(copy, random, words)) return { root: copy, name };
  }
}

function withParent(
  root: TreeElement,
  random: Random,
  change: (parent: TreeElement, at: number, element: TreeElement) => void,
): boolean {
  const places = elementsOf(root).flatMap((parent) =>
    parent.children.flatMap((element, at) => (typeof element === "string" ? [] : [{ parent, at, element }])),
  );
  if (places.length === 0) return false;
  const { parent, at, element } = random.pick(places);
  change(parent, at, element);
  return true;
}

function withAttribute(
  root: TreeElement,
  random: Random,
  change: (element: TreeElement, at: number, attribute: TreeAttribute) => void,
): boolean {
  const places = elementsOf(root).flatMap((element) =>
    element.attributes.map((attribute, at) => ({ element, at, attribute })),
  );
  if (places.length === 0) return false;
  const { element, at, attribute } = random.pick(places);
  change(element, at, attribute);
  return true;
}
