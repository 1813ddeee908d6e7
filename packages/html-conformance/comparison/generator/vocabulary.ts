import { listNames } from "../../src/grammar/expectations.ts";
import { forEachPattern } from "../../src/grammar/names.ts";
import type { Grammar, Pattern } from "../../src/grammar/pattern.ts";
import type { NameClass } from "../../src/grammar/syntax.ts";
import { type Category, obsolete } from "./categories.ts";
import type { Vocabulary } from "./mutate-tree.ts";
import type { Random } from "./random.ts";
import { HTML } from "./tree.ts";
import { datatypesOf, drawText, drawValue } from "./values.ts";
import type { Walker } from "./walk.ts";

/** An attribute of an element, by the element's index in the grammar. */
export type Slot = { element: number; attribute: string; namespace: string; value: Pattern };

/** What a grammar has, by name. */
export type Stock = ReturnType<typeof createStock>;

export function createStock(grammar: Grammar) {
  const elements: { index: number; namespace: string; name: string }[] = [];
  const slots: Slot[] = [];
  for (const [index, { name, content }] of grammar.elements.entries()) {
    for (const one of namesOf(name)) elements.push({ index, ...one });
    forEachPattern(content, new Set(), (pattern) => {
      if (pattern.kind === "attribute")
        for (const one of namesOf(pattern.name))
          slots.push({ element: index, attribute: one.name, namespace: one.namespace, value: pattern.child });
    });
  }
  const byAttribute = Map.groupBy(slots, ({ attribute }) => attribute);
  const byDatatype = new Map<string, Slot[]>();
  const add = (key: string, slot: Slot): void => {
    const found = byDatatype.get(key);
    if (found) found.push(slot);
    else byDatatype.set(key, [slot]);
  };
  for (const slot of slots) {
    if (elements.some(({ index, name }) => index === slot.element && obsolete.elements.has(name))) continue;
    if (obsolete.attributes.has(slot.attribute)) continue;
    const types = datatypesOf(slot.value);
    for (const type of new Set(types.map(({ name, parameters }) => keyOf(name, parameters)))) add(type, slot);
    if (types.length === 0 && slot.value.kind !== "text") add(plainKind(slot.value), slot);
  }
  const current = [...byAttribute].filter(([name]) => !obsolete.attributes.has(name));
  const datatypes = [...byDatatype.keys()];
  const ofDatatype = (type: string, random: Random) => ({ type, slot: random.pick(byDatatype.get(type) ?? []) });
  return {
    elements,
    byAttribute,
    ofDatatype,
    /** An attribute of some datatype, or of some name: each comes up as often as any other. */
    anySlot(random: Random): { type: string; slot: Slot } {
      if (random.percent(50)) return ofDatatype(random.pick(datatypes), random);
      const slot = random.pick(random.pick(current)[1]);
      const [datatype] = datatypesOf(slot.value);
      return { type: datatype ? keyOf(datatype.name, datatype.parameters) : plainKind(slot.value), slot };
    },
  };
}

function plainKind({ kind }: Pattern): string {
  return kind === "text" ? "text" : "keyword";
}

function keyOf(name: string, parameters: readonly { name: string }[]): string {
  return parameters.length > 0 ? `${name} with facets` : name;
}

export function createVocabulary(walker: Walker, stock: Stock, category: Category): Vocabulary {
  const { elements, attributes } = category;
  const isPreferred = ({ name }: { name: string }): boolean => elements?.has(name) ?? true;
  const current = stock.elements.filter(({ name }) => !obsolete.elements.has(name));
  const preferred = current.filter(isPreferred);
  const html = preferred.filter(({ namespace }) => namespace === HTML);
  const usual = html.length > 0 && !elements ? [...html, ...html, ...html, ...preferred] : preferred;
  const rare = elements ? current : stock.elements;
  const everyAttribute = [...stock.byAttribute.keys()];
  const wanted = everyAttribute.filter((name) => attributes?.has(name));
  return {
    elements: [...repeat(usual, 9), ...rare],
    attributes: [
      ...repeat(wanted, Math.ceil((4 * everyAttribute.length) / Math.max(1, wanted.length))),
      ...everyAttribute,
    ],
    valueOf(name: string, random: Random): string {
      const slots = stock.byAttribute.get(name);
      return slots ? drawValue(random.pick(slots).value, random) : drawText(random);
    },
    sample(random: Random) {
      const { index } = random.percent(85) ? random.pick(usual) : random.pick(rare);
      return walker.generate(random, { attributesPerElement: 0.2, size: 2 }, [], index).root;
    },
  };
}

function repeat<Item>(items: readonly Item[], times: number): Item[] {
  return Array.from({ length: times }, () => items).flat();
}

function namesOf(names: NameClass): { namespace: string; name: string }[] {
  if (names.type === "name") return [{ namespace: names.namespace, name: names.name }];
  if (names.type === "choice") return names.children.flatMap(namesOf);
  if (names.type === "namespace" && names.namespace === "http://n.validator.nu/custom-elements/")
    return [{ namespace: HTML, name: "x-item" }];
  return listNames(names).map((name) => ({ namespace: "", name }));
}
