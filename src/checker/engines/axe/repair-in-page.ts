import type * as AxeCore from "axe-core";

/** How an element is mended, and which rule is to find nothing afterwards. */
export type Repair = {
  rule: string;
  /** A CSS selector in the main document. */
  target: string;
  /** The rule is about the page as a whole. */
  ofDocument: boolean;
  /** The rule has found more than what is mended. */
  isPartial: boolean;
  edit:
    | {
        kind: "attributes";
        set: Record<string, string | null>;
        by: Record<string, Record<string, string>>;
        on: "parent" | "element";
      }
    | { kind: "unique"; attribute: string }
    | { kind: "style"; property: "color" | "background-color"; value: string }
    | { kind: "id" }
    | { kind: "main" }
    | { kind: "first_heading" }
    | { kind: "description" }
    /** It goes with the change of another element. */
    | null;
};

/**
 * Mends elements in the page that is loaded, and runs their rules again. Runs inside the page, in the world that holds axe-core;
 * it must not use anything outside itself except types.
 *
 * @param guards rules that a change of attributes could break
 * @returns for each repair whether the fault is gone; none of a rule that finds something new
 */
export async function repairElements(repairs: Repair[], guards: string[]): Promise<boolean[]> {
  const { axe } = globalThis as unknown as { axe: typeof AxeCore };
  const { getAttribute, setAttribute, removeAttribute } = Element.prototype;
  const find = (selector: string): Element | null => {
    try {
      return document.querySelector(selector);
    } catch {
      return null;
    }
  };

  /**
   * All content is in the main landmark: stands for a <main> around what is in no other one, without moving anything. Where
   * the page has one, what is outside of it gets a section of its own.
   */
  const markMain = (element: Element): void => {
    if (!hasMain) setAttribute.call(document.body, "role", "main");
    if (!hasMain || element === document.documentElement || element === document.body) return;
    const section = document.createElement("section");
    setAttribute.call(section, "aria-label", "Name");
    element.replaceWith(section);
    section.append(element);
  };

  const markFirstHeading = (): void => {
    const heading = document.querySelector("h2, h3, h4, h5, h6");
    if (heading) setAttribute.call(heading, "aria-level", "1");
  };

  const keepLast = (element: Element, attribute: string): void => {
    const value = getAttribute.call(element, attribute);
    const same = [...document.querySelectorAll(`[${attribute}]`)].filter(
      (one) => getAttribute.call(one, attribute) === value,
    );
    for (const one of same.slice(0, -1)) removeAttribute.call(one, attribute);
  };

  /** A term at the end of its list gets a description. */
  const describeLast = (list: Element): void => {
    const terms = [...list.children].filter(({ localName }) => localName !== "script" && localName !== "template");
    if (terms.at(-1)?.localName === "dt") list.append(document.createElement("dd"));
  };

  const setAll = (element: Element, attributes: Record<string, string | null>): void => {
    for (const [name, value] of Object.entries(attributes)) {
      if (value === null) removeAttribute.call(element, name);
      else setAttribute.call(element, name, value);
    }
  };

  /** The element, or for a background the nearest one that has one. */
  const painted = (element: Element, property: string): Element => {
    const isClear = (one: Element) => /^(?:transparent|rgba\(.*, 0\))$/.test(getComputedStyle(one).backgroundColor);
    let at = element;
    while (property === "background-color" && at.parentElement && isClear(at)) at = at.parentElement;
    return at;
  };

  /** Changes that are about more than the element. */
  const editAround = (element: Element, change: Repair["edit"]): void => {
    if (change?.kind === "main") markMain(element);
    if (change?.kind === "first_heading") markFirstHeading();
    if (change?.kind === "unique") keepLast(element, change.attribute);
    if (change?.kind === "description") describeLast(element);
  };

  /** @returns the element that was changed */
  const edit = (element: Element, change: Repair["edit"], index: number): Element | undefined => {
    editAround(element, change);
    const owner = change?.kind === "attributes" && change.on === "parent" ? element.parentElement : element;
    if (change?.kind === "attributes" && owner) setAll(owner, change.by[element.localName] ?? change.set);
    if (change?.kind === "id") setAll(element, { id: `${getAttribute.call(element, "id")}-${index + 2}` });
    if (change?.kind !== "style") return change === null ? undefined : element;
    const at = painted(element, change.property);
    const { style } = at as HTMLElement;
    // A colour that changes slowly would still be the old one.
    style?.setProperty("transition", "none", "important");
    style?.setProperty(change.property, change.value, "important");
    return at;
  };

  const hasMain = document.querySelector("main, [role=main]") !== null;
  const elements = repairs.map(({ target }) => find(target));
  const changed = new Set<Element>();
  /** What was mended for a rule. */
  const touched = new Map<string, Set<Element>>();
  for (const [index, element] of elements.entries()) {
    const at = element && edit(element, repairs[index]?.edit ?? null, index);
    if (at) changed.add(at);
    const { rule = "" } = repairs[index] ?? {};
    const ofRule = touched.get(rule) ?? new Set();
    if (element) touched.set(rule, ofRule.add(element).add(at ?? element));
  }
  const include = [...new Set([...elements.filter((element) => element !== null), ...changed])];
  if (include.length === 0) return repairs.map(() => false);
  const context = repairs.some(({ ofDocument }) => ofDocument) ? document : { include };

  // Timers do not run while scripts are paused: those of this world, of which axe-core needs some, end at once.
  const { setTimeout: paused } = globalThis;
  const atOnce = (work: () => void): number => {
    queueMicrotask(work);
    return 0;
  };
  Object.assign(globalThis, { setTimeout: atOnce });
  const { violations } = await axe
    .run(context as unknown as AxeCore.ElementContext, {
      ...{ elementRef: true, iframes: false, preload: false, resultTypes: ["violations"] },
      runOnly: { type: "rule", values: [...new Set([...repairs.map(({ rule }) => rule), ...guards])] },
    })
    .finally(() => Object.assign(globalThis, { setTimeout: paused }));
  const left = new Map(
    violations.map(({ id, nodes }) => [id, new Set(nodes.map(({ element }) => element as unknown))]),
  );

  const partial = new Set(repairs.flatMap(({ rule, isPartial }) => (isPartial ? [rule] : [])));
  /** Of a rule that found more, an element elsewhere had the fault before. */
  const isNew = (rule: string, element: unknown): boolean =>
    !partial.has(rule) ||
    (element instanceof Node && [...(touched.get(rule) ?? [])].some((one) => one.contains(element)));

  const isSpoiled = (rule: string): boolean => {
    const before = new Set<unknown>(
      repairs.flatMap((repair, index) => (repair.rule === rule ? [elements[index]] : [])),
    );
    return [...(left.get(rule) ?? [])].some((element) => !before.has(element) && isNew(rule, element));
  };
  const spoiled = new Set([...left.keys()].filter(isSpoiled));
  const isBroken = (element: Element): boolean =>
    changed.has(element) && guards.some((guard) => left.get(guard)?.has(element));
  return repairs.map(({ rule, ofDocument }, index) => {
    const element = elements[index];
    if (!element || spoiled.has(rule) || left.get(rule)?.has(element)) return false;
    return ofDocument || !isBroken(element);
  });
}
