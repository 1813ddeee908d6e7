import { judgeOrder, type SeenStop } from "../../../domain/acting/focus-order.ts";
import { report, type Walker } from "./findings.ts";
import type { ReadingWorld } from "./see.ts";
import type { ToolsWorld } from "./tools.ts";
import type { Walk } from "./walk.ts";

/** The most clickable elements that are looked at, and findings of a page. */
const MAX_CLICKABLE = 500;
const MAX_FOUND = 5;

/** The order in which the focus went through the page beside the order that is seen, and what it came to that is no control. */
export async function findOrder(walker: Walker, { stops, trapped }: Walk): Promise<void> {
  const { tab, places, limit } = walker;
  if (trapped) return;
  const main = await limit.command(places.main());
  const ids = stops.filter(({ place }) => place.world === main.world).map(({ id }) => id);
  const seen = await limit.command(tab.call(main.world, readStops, ids));
  const isAsked = seen.some(({ isPlain }) => isPlain);
  const clickable = isAsked ? await limit.command(tab.hands.callOnClickable(main.world, idsOf, MAX_CLICKABLE)) : [];
  const faults = judgeOrder(seen, new Set(clickable));
  for (const [rule, some] of Map.groupBy(faults, (fault) => fault.rule))
    await report(walker, main, some, { most: MAX_FOUND, what: `findings of ${rule}` });
}

/** Runs in the page. */
function readStops(ids: readonly number[]): SeenStop[] {
  const { svTools, svRead } = globalThis as unknown as ReadingWorld;
  const { elementOf, nameOf, attribute, parentOf, rectangle, isVisible } = svTools;
  const has = (element: Element, name: string): boolean => Element.prototype.hasAttribute.call(element, name);
  const around = (element: Element, test: (style: CSSStyleDeclaration) => boolean): boolean => {
    for (let at: Element | null = element; at; at = parentOf(at)) if (test(getComputedStyle(at))) return true;
    return false;
  };
  const reorders = ({ position, order, flexDirection, display }: CSSStyleDeclaration): boolean =>
    position === "absolute" ||
    order !== "0" ||
    /grid/.test(display) ||
    (/flex/.test(display) && /reverse/.test(flexDirection));
  /** What comes before `:focus` in selectors of what the focus shows in, or behind, an element. */
  let showers: string[] | undefined;
  const readShowers = (): string[] =>
    svRead.styleRules().flatMap(({ selectorText }) =>
      selectorText.split(",").flatMap((one) => {
        const before = /^(.*?):focus(?:-visible|-within)?\s*[\s>+~]/.exec(one.trim())?.[1];
        return before === undefined ? [] : [before || "*"];
      }),
    );
  const showsByStyle = (element: Element): boolean => {
    showers ??= readShowers();
    return showers.some((selector) => {
      try {
        return Element.prototype.matches.call(element, selector);
      } catch {
        // It says more than these selectors can.
        return false;
      }
    });
  };
  /** It is no control by itself, has no role, and nothing in it is scrolled or edited. */
  const isPlain = (element: Element): boolean => {
    const overflows = ["Height", "Width"].some(
      (side) =>
        (Reflect.get(Element.prototype, `scroll${side}`, element) as number) >
        (Reflect.get(Element.prototype, `client${side}`, element) as number) + 1,
    );
    const { overflowX, overflowY } = getComputedStyle(element);
    const isNative =
      /^(?:a|button|input|select|textarea|summary|iframe|audio|video|object|embed|area|label|details|dialog|canvas|svg|html|body)$/.test(
        nameOf(element),
      ) || nameOf(element).includes("-");
    const isEdited = element instanceof HTMLElement && element.isContentEditable === true;
    const isScrolled = overflows && /auto|scroll/.test(`${overflowX} ${overflowY}`);
    // Where a script alone leads the focus, nobody comes by Tab.
    const says =
      attribute(element, "tabindex") === "-1" ||
      ["role", "aria-activedescendant", "onclick"].some((name) => has(element, name));
    if (isNative || isEdited || isScrolled || says) return false;
    // Who has no mouse comes to what it tells only by the focus.
    return !["title", "aria-describedby"].some((name) => has(element, name)) && !showsByStyle(element);
  };
  return ids.flatMap((id): SeenStop[] => {
    const element = elementOf(id);
    if (!element || !isVisible(element)) return [];
    const { left, top, right, bottom } = rectangle(element);
    return [
      {
        id,
        tag: nameOf(element),
        text: String(Reflect.get(Node.prototype, "textContent", element))
          .trim()
          .slice(0, 100),
        box: [left + scrollX, top + scrollY, right + scrollX, bottom + scrollY],
        stays: around(element, ({ position }) => /^(?:fixed|sticky)$/.test(position)),
        isReordered: around(element, reorders),
        tabindex: Number.parseInt(attribute(element, "tabindex"), 10) || 0,
        isPlain: isPlain(element),
      },
    ];
  });
}

/** Runs in the page. */
function idsOf(...elements: Element[]): number[] {
  return elements.map((globalThis as unknown as ToolsWorld).svTools.idOf);
}
