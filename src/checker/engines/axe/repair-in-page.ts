import type * as AxeCore from "axe-core";

/** How an element is mended, and which rule is to find nothing afterwards. */
export type Repair = {
  rule: string;
  /** A CSS selector in the main document. */
  target: string;
  /** The rule is about the page as a whole. */
  ofDocument: boolean;
  edit:
    | { kind: "attributes"; set: Record<string, string | null>; by: Record<string, Record<string, string>> }
    | { kind: "style"; property: "color" | "background-color"; value: string }
    | { kind: "id" }
    | { kind: "main" }
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

  /** The innermost container that has most of the text. */
  const markMain = (): void => {
    if (document.querySelector("main, [role=main]")) return;
    const textOf = (element: Element): number => (element.textContent ?? "").length;
    let container: Element = document.body;
    for (let depth = 0; depth < 20; depth++) {
      const all = textOf(container);
      const next = [...container.children].find(
        (child) => /^(?:div|section|article)$/.test(child.localName) && textOf(child) > all / 2,
      );
      if (!next) break;
      container = next;
    }
    if (container !== document.body) setAttribute.call(container, "role", "main");
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

  /** @returns the element that was changed */
  const edit = (element: Element, change: Repair["edit"], index: number): Element | undefined => {
    if (change?.kind === "main") markMain();
    if (change?.kind === "attributes") setAll(element, change.by[element.localName] ?? change.set);
    if (change?.kind === "id") setAll(element, { id: `${getAttribute.call(element, "id")}-${index + 2}` });
    if (change?.kind !== "style") return change === null ? undefined : element;
    const at = painted(element, change.property);
    const { style } = at as HTMLElement;
    // A colour that changes slowly would still be the old one.
    style?.setProperty("transition", "none", "important");
    style?.setProperty(change.property, change.value, "important");
    return at;
  };

  const elements = repairs.map(({ target }) => find(target));
  const changed = new Set<Element>();
  for (const [index, element] of elements.entries()) {
    const at = element && edit(element, repairs[index]?.edit ?? null, index);
    if (at) changed.add(at);
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

  const isSpoiled = (rule: string): boolean => {
    const before = new Set<unknown>(
      repairs.flatMap((repair, index) => (repair.rule === rule ? [elements[index]] : [])),
    );
    return [...(left.get(rule) ?? [])].some((element) => !before.has(element));
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
