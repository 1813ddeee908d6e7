import type * as AxeCore from "axe-core";

/** How an element is mended, if it is: attributes by its name or for all, a declaration, a new id, or the landmark of the page. */
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
  // Timers do not run while scripts are paused: those of this world, of which axe-core needs some, end at once.
  const { setTimeout: paused } = globalThis;
  const atOnce = (work: () => void): number => {
    queueMicrotask(work);
    return 0;
  };
  Object.assign(globalThis, { setTimeout: atOnce });
  const { getAttribute, setAttribute, removeAttribute } = Element.prototype;
  const find = (selector: string): Element | null => {
    try {
      return document.querySelector(selector);
    } catch {
      return null;
    }
  };
  const textOf = (element: Element): number => (element.textContent ?? "").length;
  const elements = repairs.map(({ target }) => find(target));
  const changed = new Set<Element>();

  const markMain = (): void => {
    if (document.querySelector("main, [role=main]")) return;
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
  for (const [index, { edit }] of repairs.entries()) {
    const element = elements[index];
    if (!element || !edit) continue;
    if (edit.kind === "attributes") {
      for (const [name, value] of Object.entries(edit.by[element.localName] ?? edit.set)) {
        if (value === null) removeAttribute.call(element, name);
        else setAttribute.call(element, name, value);
      }
      changed.add(element);
    } else if (edit.kind === "style") {
      let at: Element = element;
      // The background is that of the nearest element that has one.
      while (edit.property === "background-color" && at.parentElement && /^(?:transparent|rgba\(.*, 0\))$/.test(getComputedStyle(at).backgroundColor))
        at = at.parentElement;
      const { style } = at as HTMLElement;
      // A colour that changes slowly would still be the old one.
      style?.setProperty("transition", "none", "important");
      style?.setProperty(edit.property, edit.value, "important");
      changed.add(at);
    } else if (edit.kind === "id") {
      setAttribute.call(element, "id", `${getAttribute.call(element, "id")}-${index + 2}`);
      changed.add(element);
    } else markMain();
  }

  const found = new Map<string, Set<unknown>>();
  const run = async (context: AxeCore.ElementContext, rules: string[]): Promise<void> => {
    if (rules.length === 0) return;
    const { violations } = await axe.run(context, {
      ...{ elementRef: true, iframes: false, preload: false, resultTypes: ["violations"] },
      runOnly: { type: "rule", values: rules },
    });
    for (const { id, nodes } of violations) {
      const known = found.get(id) ?? new Set();
      found.set(id, known);
      for (const { element } of nodes) known.add(element);
    }
  };
  const rulesOf = (ofDocument: boolean) => [
    ...new Set(repairs.filter((repair) => repair.ofDocument === ofDocument).map(({ rule }) => rule)),
  ];
  try {
    await run(document, rulesOf(true));
    const mended = elements.filter((element, index) => element && !repairs[index]?.ofDocument) as Element[];
    if (mended.length > 0) {
      const context = { include: [...new Set([...mended, ...changed])] } as unknown as AxeCore.ElementContext;
      await run(context, [...new Set([...rulesOf(false), ...guards])]);
    }
  } finally {
    Object.assign(globalThis, { setTimeout: paused });
  }
  const faulty = (rule: string) =>
    new Set(repairs.flatMap((repair, index) => (repair.rule === rule ? [elements[index]] : [])));
  const isSpoiled = new Map(
    [...found].map(([rule, left]) => {
      const before = faulty(rule);
      return [rule, [...left].some((element) => !before.has(element as Element))] as const;
    }),
  );
  const isBroken = (element: Element) => guards.some((rule) => found.get(rule)?.has(element));
  return repairs.map(({ rule, ofDocument }, index) => {
    const element = elements[index];
    if (!element || isSpoiled.get(rule)) return false;
    if (!ofDocument && changed.has(element) && isBroken(element)) return false;
    return !found.get(rule)?.has(element);
  });
}
