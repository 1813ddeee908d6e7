import type { Grammar } from "../../src/grammar/pattern.ts";
import type { Preset } from "../../src/grammar/preset.ts";
import { breakValue } from "./break-value.ts";
import { type Category, categories, obsolete } from "./categories.ts";
import { drawDeclarations, drawStyleSheet } from "./css-values.ts";
import { addCharacter, mutateSource } from "./mutate-source.ts";
import { mutateTree, type Vocabulary } from "./mutate-tree.ts";
import { createRandom, type Random } from "./random.ts";
import { type Complaint, removeBlamed } from "./repair.ts";
import { copyOf, elementsOf, type TreeElement, type Written, writeHtml, writeXml } from "./tree.ts";
import { drawValue } from "./values.ts";
import { createStock, createVocabulary, type Stock } from "./vocabulary.ts";
import { createWalker, type Walker } from "./walk.ts";

/** A document of the generator's, and where it comes from. */
export type TestDocument = {
  seed: number;
  category: string;
  /** How it differs from the one before it. */
  step: string;
  contentType: string;
  source: string;
};

/**
 * Documents that come from one: as the grammar derives it, without what the judge complains of, and with one
 * change each. It takes the judge's complaints after each document.
 */
export type Family = Generator<TestDocument, void, readonly Complaint[]>;

const REPAIRS = 4;
const CHANGES = 6;
const VALUES = 10;

type Workshop = { walker: Walker; stock: Stock };

/** @param grammarOf asked for once for each language */
export function createFamilies(grammarOf: (preset: Preset) => Grammar, only?: string) {
  const shops = new Map<Preset, Workshop>();
  const vocabularies = new Map<string, Vocabulary>();
  const names = Object.keys(categories).filter((name) => only === undefined || name === only);
  if (names.length === 0)
    throw new Error(`There is no category ${only}; there are ${Object.keys(categories).join(", ")}.`);
  const drawn = names.flatMap((name) => Array.from({ length: categories[name]?.share ?? 0 }, () => name));

  const shopOf = (preset: Preset): Workshop => {
    let shop = shops.get(preset);
    if (!shop) {
      const grammar = grammarOf(preset);
      shop = { walker: createWalker(grammar), stock: createStock(grammar) };
      shops.set(preset, shop);
    }
    return shop;
  };

  return function family(seed: number): Family {
    const random = createRandom(Math.imul(seed + 1, 0x9e3779b1));
    const name = random.pick(drawn);
    const category = categories[name] as Category;
    const shop = shopOf(category.preset);
    let words = vocabularies.get(name);
    if (!words) {
      words = createVocabulary(shop.walker, shop.stock, category);
      vocabularies.set(name, words);
    }
    const start = { seed, contentType: category.contentType };
    return category.mutations === "values"
      ? valueFamily(start, shop, random)
      : treeFamily({ ...start, category: name }, category, shop, words, random);
  };
}

type Start = Pick<TestDocument, "seed" | "contentType">;

function* treeFamily(
  start: Start & { category: string },
  category: Category,
  { walker, stock }: Workshop,
  words: Vocabulary,
  random: Random,
): Family {
  const write = category.preset === "html" ? writeHtml : writeXml;
  const preferred = stock.elements.filter(({ name }) =>
    category.elements ? category.elements.has(name) : !obsolete.elements.has(name) || random.percent(5),
  );
  const targets = Array.from({ length: 1 + random.below(4) }, () => random.pick(preferred).index);
  const wishes = {
    ...(category.elements && { palette: category.elements }),
    ...(category.attributes && { attributes: category.attributes }),
    attributesPerElement: category.attributesPerElement,
    size: category.size,
  };
  const { root } = walker.generate(random, wishes, targets);
  if (random.percent(90)) dropObsolete(root);
  if (category.without) dropElements(root, category.without);
  setLanguage(root);
  let written = write(root);
  for (let round = 0; round <= REPAIRS; round++) {
    const complaints = yield { ...start, step: round === 0 ? "derived" : "repaired", source: written.source };
    if (complaints.length === 0) break;
    if (round < REPAIRS) removeBlamed(root, written.lines, complaints);
    written = write(root);
  }
  for (let change = 0; change < CHANGES; change++) {
    const { source, step } = changed(category, root, written, words, random, write);
    yield { ...start, step, source };
  }
}

function changed(
  { mutations }: Category,
  root: TreeElement,
  { source }: Written,
  words: Vocabulary,
  random: Random,
  write: (root: TreeElement) => Written,
): { source: string; step: string } {
  if (mutations === "source") {
    const found = mutateSource(source, random);
    return { source: found.source, step: found.name };
  }
  if (mutations === "characters") {
    const found = addCharacter(source, random);
    return { source: found.source, step: found.name };
  }
  if (mutations === "css") return { source: write(withOtherCss(root, random)).source, step: "other CSS" };
  const found = mutateTree(root, random, words);
  return { source: write(found.root).source, step: found.name };
}

function withOtherCss(root: TreeElement, random: Random): TreeElement {
  const copy = copyOf(root);
  for (const { name, attributes, children } of elementsOf(copy)) {
    if (name === "style") children.splice(0, children.length, drawStyleSheet(random));
    for (const attribute of attributes) if (attribute.name === "style") attribute.value = drawDeclarations(random);
  }
  return copy;
}

/** Small documents with one attribute of a datatype, as many values after one another. Half of them are URLs. */
function* valueFamily(start: Start, { walker, stock }: Workshop, random: Random): Family {
  const { type, slot } = random.percent(35) ? stock.ofDatatype("iri-ref", random) : stock.anySlot(random);
  const { root, made } = walker.generate(random, { attributesPerElement: 0, size: 0 }, [slot.element]);
  setLanguage(root);
  const element = made.get(slot.element);
  if (!element) return;
  let attribute = element.attributes.find(
    ({ name, namespace }) => name === slot.attribute && namespace === slot.namespace,
  );
  if (!attribute) {
    attribute = { namespace: slot.namespace, name: slot.attribute === "lang" ? "lang" : slot.attribute, value: "" };
    if (attribute.name === "lang") attribute.namespace = "";
    element.attributes.push(attribute);
  }
  const seen = new Set<string>();
  for (let count = 0; count < VALUES; count++) {
    const value = drawValue(slot.value, random);
    attribute.value = random.percent(65) ? value : breakValue(value, random);
    if (seen.has(attribute.value)) continue;
    seen.add(attribute.value);
    yield {
      ...start,
      category: `values: ${type}`,
      step: `${element.name} ${slot.attribute}`,
      source: writeHtml(root).source,
    };
  }
}

function dropElements(root: TreeElement, names: ReadonlySet<string>): void {
  for (const element of elementsOf(root))
    element.children = element.children.filter((child) => typeof child === "string" || !names.has(child.name));
}

function dropObsolete(root: TreeElement): void {
  for (const element of elementsOf(root))
    element.attributes = element.attributes.filter(({ name }) => !obsolete.attributes.has(name));
}

/** Without it there is a warning in each document. */
function setLanguage(root: TreeElement): void {
  if (root.name === "html" && !root.attributes.some(({ name }) => name === "lang"))
    root.attributes.push({ namespace: "", name: "lang", value: "en" });
}
