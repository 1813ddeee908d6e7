import type * as AxeCore from "axe-core";

/**
 * Functions that run inside pages, like those of in-page.ts: in an isolated world, sent as their source text. Named
 * form controls hide members of the DOM in every world, so members are read through the prototypes.
 */

/** A rectangle as [x, y, width, height] in CSS pixels; numbers that JSON cannot represent become null. */
export type Rectangle = [number, number, number, number];

/** How far this frame is scrolled, as [x, y]. */
export function scrolled(): [number, number] {
  return [scrollX, scrollY];
}

/**
 * Where elements are in this frame's viewport; null for those that are hidden or gone, and for all after the time
 * limit: a page decides how long it takes to find an element in it.
 */
export function measureElements(selectors: (string | string[])[], limitMs: number): (Rectangle | null)[] {
  const { axe } = globalThis as unknown as { axe: typeof AxeCore };
  const { checkVisibility, getBoundingClientRect } = Element.prototype;
  const start = performance.now();
  return selectors.map((selector) => {
    if (performance.now() - start > limitMs) return null;
    try {
      const element = axe.utils.shadowSelect(selector as string);
      if (!element || !checkVisibility.call(element, { visibilityProperty: true })) return null;
      const { x, y, width, height } = getBoundingClientRect.call(element);
      return [x, y, width, height];
    } catch {
      return null;
    }
  });
}

/** Where a frame's content is in the viewport of the document around it; null for one that is hidden, scaled or turned. */
export function measureFrame(selector: string | string[]): Rectangle | null {
  const { axe } = globalThis as unknown as { axe: typeof AxeCore };
  const { checkVisibility, getBoundingClientRect } = Element.prototype;
  const element = axe.utils.shadowSelect(selector as string);
  if (!(element instanceof HTMLElement) || !checkVisibility.call(element, { visibilityProperty: true })) return null;
  const number = (prototype: object, name: string): number => Reflect.get(prototype, name, element) as number;
  const { x, y, width, height } = getBoundingClientRect.call(element);
  // By a transform of the frame or of an element around it.
  const isMoved =
    Math.abs(width - number(HTMLElement.prototype, "offsetWidth")) > 1 ||
    Math.abs(height - number(HTMLElement.prototype, "offsetHeight")) > 1;
  if (isMoved) return null;
  const style = getComputedStyle(element);
  const [left, top, right, bottom] = ["Left", "Top", "Right", "Bottom"].map(
    (side) => Number.parseFloat(style[`padding${side}` as "paddingLeft"]) || 0,
  ) as Rectangle;
  return [
    x + number(Element.prototype, "clientLeft") + left,
    y + number(Element.prototype, "clientTop") + top,
    number(Element.prototype, "clientWidth") - left - right,
    number(Element.prototype, "clientHeight") - top - bottom,
  ];
}
