import { htmlSection } from "../finding.ts";
import {
  type DocumentRule,
  type ElementRule,
  formatValue,
  has,
  MICRODATA,
  type OpenElement,
  tokens,
  value,
} from "./open-element.ts";
import { elementSection } from "./sections.ts";

const ITEMS = htmlSection("microdata.html#items");
const NAMES = htmlSection("microdata.html#names:-the-itemprop-attribute");
/** The most steps from items to their properties, which bounds the time. */
const MAX_STEPS = 2_000_000;

/** Where the value of a property is a URL, the attribute that has it; elements that are not here need theirs anyway. */
const URL_OF_PROPERTY: ReadonlyMap<string, string> = new Map([
  ["a", "href"],
  ["area", "href"],
  ["audio", "src"],
  ["embed", "src"],
  ["iframe", "src"],
  ["video", "src"],
]);

/** Attributes that are sets of tokens, and what a token is. */
const SETS = [
  ["itemtype", "type", ITEMS],
  ["itemprop", "name", NAMES],
] as const;

/** Attributes of microdata that need others, and tokens that are there twice. */
export const checkMicrodataAttributes: ElementRule = (open, report) => {
  const hasScope = has(open, "itemscope");
  const needs = (attribute: string, needed: string) =>
    report(open, {
      rule: `microdata/${attribute}`,
      message: `The attribute "${attribute}" of <${open.name}> needs ${needed}.`,
      section: ITEMS,
      attribute,
    });
  for (const [attribute, what, section] of SETS) {
    const all = tokens(value(open, attribute) ?? "");
    if (new Set(all).size === all.length) continue;
    const message = `The attribute "${attribute}" of <${open.name}> has a ${what} twice; each is there once.`;
    report(open, { rule: `microdata/${attribute}`, message, section, attribute });
  }
  const url = URL_OF_PROPERTY.get(open.name);
  if (url && has(open, "itemprop") && !has(open, url))
    report(open, {
      rule: "microdata/itemprop",
      message: `The attribute "itemprop" of <${open.name}> needs the attribute "${url}"${hasScope ? "" : ", which is the property's value"}.`,
      section: elementSection(open.name),
      attribute: "itemprop",
    });
  if (has(open, "itemid") && !(hasScope && has(open, "itemtype")))
    needs("itemid", 'the attributes "itemscope" and "itemtype"');
  if (hasScope) return;
  if (has(open, "itemref")) needs("itemref", 'the attribute "itemscope"');
  if (has(open, "itemtype")) needs("itemtype", 'the attribute "itemscope"');
};

type Part = { open: OpenElement; isItem: boolean; isProperty: boolean; refs: readonly string[]; parts: Part[] };

/** Items and their properties, as the standard collects them: https://html.spec.whatwg.org/multipage/microdata.html#associating-names-with-items */
export const watchMicrodata: DocumentRule = (report) => {
  const items: Part[] = [];
  const properties = new Set<Part>();
  const byId = new Map<string, Part>();
  const around: Part[] = [];
  let steps = 0;
  return {
    inTemplates: true,
    open(open) {
      if (!open.name || (open.id === undefined && !(open.flags & MICRODATA))) return;
      const isItem = has(open, "itemscope");
      const isProperty = has(open, "itemprop");
      if (open.id === undefined && !isItem && !isProperty) return;
      const part: Part = { open, isItem, isProperty, refs: tokens(value(open, "itemref") ?? ""), parts: [] };
      if (isProperty) properties.add(part);
      else if (isItem) items.push(part);
      if (open.id !== undefined && !byId.has(open.id)) byId.set(open.id, part);
      around.at(-1)?.parts.push(part);
      around.push(part);
    },
    close(open) {
      if (around.at(-1)?.open === open) around.pop();
    },
    end() {
      if (items.length === 0 && properties.size === 0) return;
      checkItems();
      if (steps > MAX_STEPS) return;
      for (const { open } of properties)
        report(open, {
          rule: "microdata/itemprop",
          message: `The attribute "itemprop" of <${open.name}> belongs to no item: no element around it has "itemscope", and no "itemref" names it.`,
          section: NAMES,
          attribute: "itemprop",
        });
    },
  };

  /** Checks each item and, below it, the items that are its properties; `path` has the items around the current one. */
  function checkItems(): void {
    const path = new Set<Part>();
    const done = new Set<Part>();
    const waiting: (Part | { left: Part })[] = [...items].reverse();
    for (let next = waiting.pop(); next && steps <= MAX_STEPS; next = waiting.pop()) {
      if ("left" in next) {
        path.delete(next.left);
        continue;
      }
      if (done.has(next)) continue;
      done.add(next);
      path.add(next);
      waiting.push({ left: next });
      for (const item of propertiesOf(next).reverse())
        if (path.has(item)) circular(item);
        else waiting.push(item);
    }
  }

  /** Takes the properties of an item. @returns those that are items themselves */
  function propertiesOf(item: Part): Part[] {
    const nested: Part[] = [];
    const seen = new Set([item]);
    const pending = [...item.parts];
    let isRedundant = false;
    for (const ref of item.refs) {
      const part = byId.get(ref);
      if (part) pending.push(part);
      else dangling(item.open, ref);
    }
    for (let part = pending.pop(); part; part = pending.pop()) {
      steps++;
      if (seen.has(part)) {
        isRedundant = true;
        continue;
      }
      seen.add(part);
      if (!part.isItem) for (const below of part.parts) pending.push(below);
      if (!part.isProperty) continue;
      properties.delete(part);
      if (part.isItem) nested.push(part);
    }
    if (isRedundant)
      report(item.open, {
        rule: "microdata/itemref-redundant",
        message: `The attribute "itemref" of <${item.open.name}> names something that belongs to the item already.`,
        section: ITEMS,
        attribute: "itemref",
      });
    return nested;
  }

  function dangling(open: OpenElement, id: string): void {
    report(open, {
      rule: "dangling-reference/itemref",
      message: `The value "${formatValue(id)}" in the attribute "itemref" of <${open.name}> is not the ID of an element in this document.`,
      section: ITEMS,
      attribute: "itemref",
    });
  }

  function circular({ open }: Part): void {
    report(open, {
      rule: "microdata/itemref-circular",
      message: `The item <${open.name}> contains itself through the attribute "itemref".`,
      section: ITEMS,
    });
  }
};
