import type { Appeared } from "../../../domain/acting/pressed.ts";
import type { ToolsWorld } from "./tools.ts";

/** What is seen of a page, kept in our world, so that what comes to be seen can be told. */
export type ShownWorld = ToolsWorld & {
  svShown: {
    /** Notes what is seen now. */
    mark(): void;
    /** What is seen now and was not when that was noted last; only the outermost elements with a text. */
    appeared(): Appeared[];
    /** Whether anything has changed since this was asked last: looking is dear. */
    hasChanged(): boolean;
    isShown(id: number): boolean;
    /** What came to be seen while the focus went through the page. */
    byFocus: Set<Element>;
  };
};

/** Runs in the page, in our isolated world, after `installTools`. */
export function installShown(maxElements: number, maxText: number): void {
  const world = globalThis as unknown as ShownWorld;
  if (Object.hasOwn(world, "svShown")) return;
  const { idOf, elementOf, isVisible, rectangle, attribute, nameOf, parentOf, active, watchChanges } = world.svTools;
  const changes = watchChanges();
  /** The text of what was seen; of what was hidden, the text that it had. */
  let seen = new Map<Element, { text: string; isShown: boolean }>();
  const childrenOf = (element: Element): number =>
    Reflect.get(Element.prototype, "childElementCount", element) as number;
  const textOf = (element: Element): string =>
    String(Reflect.get(Node.prototype, "textContent", element))
      .replace(/\s+/g, " ")
      .trim()
      .slice(0, maxText);
  /** Only of what has no elements in it: a text that changes is that of its innermost element. */
  const ownText = (element: Element): string => (childrenOf(element) === 0 ? textOf(element) : "");
  const isShownNow = (element: Element): boolean => {
    const { width, height } = rectangle(element);
    return width > 2 && height > 2 && isVisible(element);
  };
  const all = (): Element[] => {
    const found = Document.prototype.querySelectorAll.call(document, "body *:not(script,style,option,br,path,g)");
    return [...found].slice(0, maxElements);
  };
  const mark = (): void => {
    const noteOf = (one: Element) => {
      const isShown = isShownNow(one);
      return { text: isShown ? ownText(one) : textOf(one), isShown };
    };
    seen = new Map(all().map((one) => [one, noteOf(one)]));
    changes.take();
  };
  const around = (element: Element, test: (one: Element) => boolean): boolean => {
    for (let at: Element | null = element; at; at = parentOf(at)) if (test(at)) return true;
    return false;
  };
  const isLive = (one: Element): boolean =>
    /^(?:polite|assertive)$/.test(attribute(one, "aria-live")) ||
    /^(?:status|alert|log|timer|progressbar|tooltip)$/.test(attribute(one, "role")) ||
    nameOf(one) === "output";
  const isDialog = (one: Element): boolean =>
    nameOf(one) === "dialog" ||
    /^(?:alert)?dialog$/.test(attribute(one, "role")) ||
    attribute(one, "aria-modal") === "true" ||
    Element.prototype.hasAttribute.call(one, "popover");
  const appeared = (): Appeared[] => {
    const isNew = (one: Element): boolean => {
      const before = seen.get(one);
      if (!isShownNow(one)) return false;
      return !before?.isShown || (ownText(one) !== "" && ownText(one) !== before.text);
    };
    const found = all().filter(isNew);
    const outermost = new Set(found);
    const focused = active();
    return found
      .filter((one) => !around(parentOf(one) ?? one, (up) => up !== one && outermost.has(up)) && textOf(one) !== "")
      .slice(0, 20)
      .map((one) => {
        const { width, height } = rectangle(one);
        const before = seen.get(one);
        const inside = [...Element.prototype.querySelectorAll.call(one, "[role],[aria-live],dialog,output")];
        const controls = Element.prototype.querySelectorAll.call(
          one,
          "a[href],button,input,select,textarea,[tabindex]",
        );
        return {
          id: idOf(one),
          text: textOf(one),
          numControls: controls.length,
          // What was hidden and is the same was there before; what is filled now, or is new, was not.
          wasHidden: before !== undefined && !before.isShown && before.text === textOf(one),
          isLive: around(one, isLive) || inside.some(isLive),
          isDialog: around(one, isDialog) || inside.some(isDialog),
          covers:
            around(one, (up) => /^(?:fixed|absolute)$/.test(getComputedStyle(up).position)) &&
            width * height > 0.12 * innerWidth * innerHeight,
          hasFocus: focused !== null && around(focused, (up) => up === one),
        };
      });
  };
  world.svShown = {
    ...{ mark, appeared, byFocus: new Set() },
    hasChanged: () => changes.take(),
    isShown: (id) => {
      const element = elementOf(id);
      return element !== undefined && isShownNow(element) && textOf(element) !== "";
    },
  };
  mark();
  const { onStop } = world.svTools;
  world.svTools.onStop = (element) => {
    if (changes.take()) for (const { id } of appeared()) world.svShown.byFocus.add(elementOf(id) as Element);
    onStop(element);
  };
}

/** Runs in the page. */
export function markShown(): void {
  (globalThis as unknown as ShownWorld).svShown.mark();
}

/** Runs in the page. */
export function takeAppeared(): Appeared[] {
  const { svShown } = globalThis as unknown as ShownWorld;
  return svShown.hasChanged() ? svShown.appeared() : [];
}

/** Runs in the page: which of these are seen, with a text. */
export function stillShown(...ids: number[]): number[] {
  return ids.filter((globalThis as unknown as ShownWorld).svShown.isShown);
}
