import type { ElementDescription } from "../../../domain/identity/element-key.ts";

/**
 * What our functions in pages share: put into our world of each frame by `installTools`. Named form controls hide members
 * of the DOM in every world, so members are read through the prototypes.
 */
export type Tools = {
  /** The element with the focus, in open shadow trees, too; null for none. */
  active(): Element | null;
  /** A number for an element, the same as long as the document is there. */
  idOf(element: Element): number;
  elementOf(id: number): Element | undefined;
  /** The parent element; of the topmost elements of a shadow tree its host. */
  parentOf(element: Element): Element | null;
  attribute(element: Element, name: string): string;
  nameOf(element: Element): string;
  /** Where it is in the viewport. */
  rectangle(element: Element): DOMRect;
  isVisible(element: Element): boolean;
  /** Ends what styles change little by little, so that it is measured as it will stay. */
  endTransitions(): void;
  describe(element: Element): Described;
  /** All that it is called: any of these may say what it does. */
  namesOf(element: Element): string[];
  /** Whether it says that it opens something. */
  opens(element: Element): boolean;
  /** Whether it is the button of a form, which need not be around it. */
  submits(element: Element): boolean;
  /** Watches the document from now on. `take` tells whether anything has changed since it was asked last. */
  watchChanges(): { take(): boolean; end(): void };
  /** Where the focus has been, by keys. */
  stops: Set<Element>;
  /** Is told each of them, and null for none. */
  onStop: (element: Element | null) => void;
  /** Moves of the focus since `forget` that no key caused: the elements that got it. */
  jumps: number[];
};

/** An element for a finding; `rectangle` in the viewport, as [x, y, width, height]. */
export type Described = {
  extract: string;
  target: string;
  rectangle: [number, number, number, number] | null;
  element: ElementDescription;
};

export type ToolsWorld = { svTools: Tools };

/** Runs in the page, in our isolated world: it must not use anything outside itself. */
export function installTools(maxText: number): void {
  if (Object.hasOwn(globalThis, "svTools")) return;
  const getter =
    <Self, Value>(prototype: object, name: string) =>
    (self: Self): Value =>
      Object.getOwnPropertyDescriptor(prototype, name)?.get?.call(self);
  const { getAttribute, getAttributeNames, getBoundingClientRect, checkVisibility } = Element.prototype;
  const parentNode = getter<Node, Node | null>(Node.prototype, "parentNode");
  const outerHtml = getter<Element, string>(Element.prototype, "outerHTML");
  const shadowRoot = getter<Element, ShadowRoot | null>(Element.prototype, "shadowRoot");
  const previous = getter<Element, Element | null>(Element.prototype, "previousElementSibling");
  const nameOf = getter<Element, string>(Element.prototype, "localName");
  const activeOf = getter<Document, Element | null>(Document.prototype, "activeElement");
  const activeIn = getter<ShadowRoot, Element | null>(ShadowRoot.prototype, "activeElement");
  const bodyOf = getter<Document, Element | null>(Document.prototype, "body");
  const rootOf = getter<Document, Element | null>(Document.prototype, "documentElement");

  const ids = new WeakMap<Element, number>();
  const elements: WeakRef<Element>[] = [];
  const idOf = (element: Element): number => {
    const known = ids.get(element);
    if (known !== undefined) return known;
    elements.push(new WeakRef(element));
    ids.set(element, elements.length - 1);
    return elements.length - 1;
  };
  const attribute = (element: Element, name: string): string =>
    (getAttribute.call(element, name) ?? "").slice(0, maxText);
  const parentOf = (element: Element): Element | null => {
    const parent = parentNode(element);
    if (parent instanceof ShadowRoot) return parent.host;
    return parent instanceof Element ? parent : null;
  };
  const active = (): Element | null => {
    let at = activeOf(document);
    if (at === null || at === bodyOf(document) || at === rootOf(document)) return null;
    for (let root = shadowRoot(at); root; root = shadowRoot(at)) {
      const inner = activeIn(root);
      if (!inner) break;
      at = inner;
    }
    return at;
  };
  /** A selector of the element among the children of its parent. */
  const stepOf = (element: Element): string => {
    const name = nameOf(element);
    let place = 1;
    for (let other = previous(element); other; other = previous(other)) if (nameOf(other) === name) place += 1;
    return /^(?:html|body|head)$/.test(name) ? name : `${CSS.escape(name)}:nth-of-type(${place})`;
  };
  const targetOf = (element: Element): string => {
    let target = "";
    let at: Element | null = element;
    for (let depth = 0; at && depth < 60; depth += 1) {
      const isTopOfShadow: boolean = parentNode(at) instanceof ShadowRoot;
      const parent: Element | null = parentOf(at);
      target = `${parent === null ? "" : isTopOfShadow ? " >>> " : " > "}${stepOf(at)}${target}`;
      at = parent;
    }
    return target.slice(0, maxText);
  };
  const rectangle = (element: Element): DOMRect => getBoundingClientRect.call(element);
  const isVisible = (element: Element): boolean =>
    checkVisibility.call(element, { visibilityProperty: true, opacityProperty: true });
  const describe = (element: Element): Described => {
    const ancestors: ElementDescription["ancestors"][number][] = [];
    for (let up = parentOf(element); up && ancestors.length < 100; up = parentOf(up))
      ancestors.push({
        name: nameOf(up),
        ...{ id: attribute(up, "id"), role: attribute(up, "role") },
        ...(ancestors.length < 40 && { classes: attribute(up, "class").slice(0, 400) }),
      });
    const { x, y, width, height } = rectangle(element);
    return {
      extract: outerHtml(element).slice(0, maxText),
      target: targetOf(element),
      rectangle: isVisible(element) ? [x, y, width, height] : null,
      element: {
        name: nameOf(element),
        attributes: getAttributeNames
          .call(element)
          .slice(0, 100)
          .map((name) => [name, attribute(element, name)] as const),
        ancestors,
      },
    };
  };
  const textOf = (element: Element): string => String(Reflect.get(Node.prototype, "textContent", element)).trim();
  const namesOf = (element: Element): string[] => {
    const labels = attribute(element, "aria-labelledby")
      .split(/\s+/)
      .map((id) => (id === "" ? null : Document.prototype.getElementById.call(document, id)));
    const pictures = Element.prototype.querySelectorAll.call(element, "[alt],[aria-label],[title],title");
    return [element, ...[...pictures].slice(0, 20)]
      .flatMap((one) => [...["aria-label", "title", "value", "alt"].map((name) => attribute(one, name)), textOf(one)])
      .concat(labels.map((label) => (label ? textOf(label) : "")))
      .map((name) => name.slice(0, 200))
      .filter((name) => name !== "");
  };
  const opens = (element: Element): boolean =>
    ["aria-haspopup", "aria-expanded", "aria-controls", "popovertarget", "command"].some(
      (name) => attribute(element, name) !== "",
    );
  const submits = (element: Element): boolean =>
    element instanceof HTMLButtonElement &&
    Reflect.get(HTMLButtonElement.prototype, "type", element) === "submit" &&
    Reflect.get(HTMLButtonElement.prototype, "form", element) !== null;
  const endTransitions = (): void => {
    for (const animation of Document.prototype.getAnimations.call(document).slice(0, 1_000))
      if (animation instanceof CSSTransition) animation.finish();
  };
  const { observe, takeRecords, disconnect } = MutationObserver.prototype;
  const watchChanges = () => {
    // What was told to the observer is not taken any more.
    let wasTold = false;
    const observer = new MutationObserver(() => {
      wasTold = true;
    });
    const all = { subtree: true, childList: true, attributes: true, characterData: true };
    observe.call(observer, document, all);
    const take = (): boolean => {
      const has = takeRecords.call(observer).length > 0 || wasTold;
      wasTold = false;
      return has;
    };
    return { take, end: () => disconnect.call(observer) };
  };
  const tools: Tools = {
    ...{ active, idOf, parentOf, attribute, nameOf, rectangle, isVisible, describe, watchChanges },
    ...{ namesOf, opens, submits, endTransitions },
    elementOf: (id) => elements[id]?.deref(),
    stops: new Set(),
    onStop: () => {},
    jumps: [],
  };
  (globalThis as unknown as ToolsWorld).svTools = tools;
  // A key may move the focus once; what moves it again, or without a key, is the page.
  let isAsked = false;
  const ask = (event: Event): void => {
    isAsked = event.type === "keydown";
  };
  addEventListener("keydown", ask, true);
  addEventListener("keyup", ask, true);
  addEventListener(
    "focusin",
    () => {
      const to = active();
      if (!isAsked && to && tools.jumps.length < 100) tools.jumps.push(idOf(to));
      isAsked = false;
    },
    true,
  );
}

/** A stop of the focus in a document. */
export type Stop = {
  id: number;
  /** It holds a document of its own, which may have the focus in it. */
  isFrame: boolean;
  isInDialog: boolean;
  /** Content that stays in its place in the window hides all of it. */
  isHidden: boolean;
  /** How it takes input: a key, or a text; null for what takes none, or submits. */
  input: "ArrowDown" | "Space" | "text" | null;
};

/**
 * Where the focus is in a document. Waits for a timer of the page that is due within this time: it may move the focus
 * again. Only the last one that is due is known (late-content.ts), so behind a later one some may be hidden.
 */
export async function readStop(lateMs: number, hiddenMs: number): Promise<Stop | null> {
  const [mark] = Performance.prototype.getEntriesByName.call(performance, "site-validator any");
  const due = mark ? mark.startTime - performance.now() : 0;
  if (due > 0) await new Promise((resolve) => setTimeout(resolve, due <= lateMs ? due + 1 : hiddenMs));
  const { svTools: tools } = globalThis as unknown as ToolsWorld;
  const { active, idOf, nameOf, parentOf, attribute } = tools;
  const element = active();
  tools.onStop(element);
  if (!element) return null;
  tools.stops.add(element);
  const isDialog = (one: Element): boolean =>
    nameOf(one) === "dialog" ||
    /^(?:alert)?dialog$/.test(attribute(one, "role")) ||
    attribute(one, "aria-modal") === "true";
  let isInDialog = false;
  for (let up: Element | null = element; up && !isInDialog; up = parentOf(up)) isInDialog = isDialog(up);
  const isAround = (outer: Element, inner: Element): boolean => {
    for (let up: Element | null = inner; up; up = parentOf(up)) if (up === outer) return true;
    return false;
  };
  const staysInPlace = (one: Element): boolean => {
    for (let up: Element | null = one; up && !isAround(up, element); up = parentOf(up))
      if (/^(?:fixed|sticky)$/.test(getComputedStyle(up).position)) return true;
    return false;
  };
  /** In each of nine points of what is in the window there is something else that stays in its place. */
  const isCovered = (): boolean => {
    const { left, top, right, bottom } = tools.rectangle(element);
    const [x, y] = [Math.max(left, 0), Math.max(top, 0)];
    const [width, height] = [Math.min(right, innerWidth) - x, Math.min(bottom, innerHeight) - y];
    if (width < 2 || height < 2) return false;
    return [0.1, 0.5, 0.9].every((across) =>
      [0.1, 0.5, 0.9].every((down) => {
        const hit = Document.prototype.elementFromPoint.call(document, x + width * across, y + height * down);
        return hit !== null && !isAround(element, hit) && !isAround(hit, element) && staysInPlace(hit);
      }),
    );
  };
  let isHidden = isCovered();
  // The page may still be scrolling.
  if (isHidden) {
    await new Promise((resolve) => setTimeout(resolve, lateMs / 2));
    isHidden = isCovered();
  }
  const isFrame = /^(?:i?frame|object|embed)$/.test(nameOf(element));
  const inputOf = (): Stop["input"] => {
    const [name, type] = [nameOf(element), attribute(element, "type").toLowerCase()];
    if (name === "select") return "ArrowDown";
    if (name === "textarea") return "text";
    if (name !== "input") return null;
    if (type === "radio") return "ArrowDown";
    if (type === "checkbox") return "Space";
    return /^(?:|text|search|tel|url|email|number)$/.test(type) ? "text" : null;
  };
  return { id: idOf(element), isFrame, isInDialog, isHidden: isHidden && !isFrame, input: inputOf() };
}

/** The frame that has the focus. */
export function activeFrame(): Element | null {
  return (globalThis as unknown as ToolsWorld).svTools.active();
}

/** Takes the moves of the focus that no key caused. */
export function takeJumps(): number[] {
  return (globalThis as unknown as ToolsWorld).svTools.jumps.splice(0);
}

/** Waits in the page's own time: timers of the page that are due by then have fired before. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(() => resolve(), ms));
}

export function describeElement(id: number, hide: readonly string[]): Described | null {
  const { elementOf, describe } = (globalThis as unknown as ToolsWorld).svTools;
  const element = elementOf(id);
  if (!element || hide.some((selector) => Element.prototype.closest.call(element, selector))) return null;
  return describe(element);
}

/** Gives an element the focus, as a key would, and brings it into the window at once, also on a page that scrolls smoothly. @returns whether it has it */
export function focusOn(id: number): boolean {
  const { elementOf, active, rectangle } = (globalThis as unknown as ToolsWorld).svTools;
  const element = elementOf(id);
  const focus = element instanceof SVGElement ? SVGElement.prototype.focus : HTMLElement.prototype.focus;
  const options = { focusVisible: true, preventScroll: true } as FocusOptions;
  if (element) {
    focus.call(element as HTMLElement & SVGElement, options);
    const { top, bottom } = rectangle(element);
    const block = top < 0 || bottom > innerHeight ? "center" : "nearest";
    Element.prototype.scrollIntoView.call(element, { block, inline: "nearest", behavior: "instant" });
  }
  return element !== undefined && active() === element;
}
