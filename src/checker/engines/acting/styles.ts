import type { ToolsWorld } from "./tools.ts";

type StylesWorld = ToolsWorld & {
  /** One element for each kind of those that look the same with and without the focus. */
  svSame: Map<string, number>;
  /** One element for each kind of those whose focus may be shown too weakly. */
  svWeak: Map<string, number>;
};

/** Runs in the page, in our isolated world, after `installTools`: compares each stop with what it was before it was left. */
export function installStyles(): void {
  const world = globalThis as unknown as StylesWorld;
  if (Object.hasOwn(world, "svSame")) return;
  const { idOf, nameOf, attribute, parentOf, rectangle, isVisible } = world.svTools;
  const siblingOf = (element: Element, name: string): Element | null =>
    Reflect.get(Element.prototype, name, element) as Element | null;
  const kinds = [
    "outline",
    "boxShadow",
    "border",
    "background",
    "color",
    "textDecoration",
    "opacity",
    "transform",
  ] as const;
  const more = [
    "filter",
    "fontWeight",
    "visibility",
    "fill",
    "stroke",
    "clipPath",
    "width",
    "height",
    "left",
    "top",
  ] as const;
  const hasOutline = ({ outlineStyle, outlineWidth, outlineColor }: CSSStyleDeclaration): boolean =>
    outlineStyle !== "none" && Number.parseFloat(outlineWidth) > 0 && !/, 0\)$/.test(outlineColor);
  const styleOf = (element: Element, pseudo?: string): string => {
    const style = getComputedStyle(element, pseudo);
    const own = [...kinds, ...more].map((name) => (name === "outline" && !hasOutline(style) ? "" : style[name]));
    return `${own.join(";")}${pseudo ? style.content : ""}`;
  };
  const around = ["nextElementSibling", "previousElementSibling", "firstElementChild"];
  const signature = (element: Element): string =>
    [element, parentOf(element), ...around.map((name) => siblingOf(element, name))]
      .map((one) => (one ? styleOf(one) : ""))
      .concat(styleOf(element, "::before"), styleOf(element, "::after"))
      .join("|");
  const kindOf = (element: Element | null): string =>
    element ? `${nameOf(element)}.${attribute(element, "class")}` : "";
  // What shows a caret needs nothing else.
  const isWritten = (element: Element): boolean =>
    /^(?:input|textarea)$/.test(nameOf(element)) &&
    !/^(?:button|checkbox|color|file|image|radio|range|reset|submit)$/i.test(attribute(element, "type"));
  const isEditable = (element: Element): boolean =>
    element instanceof HTMLElement && element.isContentEditable === true;
  /** It is drawn elsewhere, as an area of an image map is, or has nothing that could be seen. */
  const hasNoSize = (element: Element): boolean => {
    const { width, height } = rectangle(element);
    return width === 0 || height === 0;
  };
  const isAway = (element: Element): boolean => {
    const { right, bottom, width, height } = rectangle(element);
    return width < 2 || height < 2 || right + scrollX <= 0 || bottom + scrollY <= 0;
  };
  const backgroundOf = (element: Element | null): string => {
    for (let at = element; at; at = parentOf(at)) {
      const { backgroundColor, backgroundImage } = getComputedStyle(at);
      if (backgroundImage !== "none") return "";
      if (!/, 0\)$/.test(backgroundColor)) return backgroundColor;
    }
    return "rgb(255, 255, 255)";
  };
  /** It has the colour of what it is on, or is outside of the window. */
  const isOutlineUnseen = (element: Element): boolean => {
    const style = getComputedStyle(element);
    if (!hasOutline(style)) return false;
    const { left, top, right, bottom } = rectangle(element);
    if (left <= 0 && top <= 0 && right >= innerWidth && bottom >= innerHeight) return true;
    return style.outlineColor === backgroundOf(parentOf(element)) && style.outlineColor === backgroundOf(element);
  };
  /** A ring of two pixels and more that stands out is no question; a change of a browser's own kind is none, either. */
  const isStrong = (element: Element): boolean => {
    const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(element);
    if (!hasOutline(getComputedStyle(element))) return false;
    if (outlineStyle === "auto") return true;
    const [red = 0, green = 0, blue = 0, alpha = 1] = outlineColor.match(/[\d.]+/g)?.map(Number) ?? [];
    return Number.parseFloat(outlineWidth) >= 2 && alpha === 1 && red + green + blue < 3 * 110;
  };
  let before: { element: Element; signature?: string; isSuspect?: boolean } | undefined;
  const same = new Map<string, number>();
  world.svSame = same;
  const weak = new Map<string, number>();
  world.svWeak = weak;
  /** Sorts what was left by how it looks now. */
  const leave = ({ element, signature: looked, isSuspect = false }: NonNullable<typeof before>): void => {
    const kind = `${kindOf(element)} ${kindOf(parentOf(element))}`;
    const isSame = looked === undefined || looked === signature(element);
    const list = !isSuspect && isSame ? same : weak;
    if (!list.has(kind)) list.set(kind, idOf(element));
  };
  world.svTools.onStop = (element) => {
    if (before && before.element !== element) leave(before);
    before = undefined;
    if (!element || /^(?:i?frame|object|embed|audio|video)$/.test(nameOf(element))) return;
    if (isWritten(element) || isEditable(element) || hasNoSize(element)) return;
    // Whatever its style is, it is not there to be seen.
    if (isAway(element) || !isVisible(element) || isOutlineUnseen(element)) before = { element };
    else if (!hasOutline(getComputedStyle(element))) before = { element, signature: signature(element) };
    else if (!isStrong(element)) before = { element, isSuspect: true };
  };
}

/** The elements that looked the same with and without the focus, one of each kind. */
export function sameStyles(): number[] {
  return [...(globalThis as unknown as StylesWorld).svSame.values()];
}

/** The elements whose focus may be shown too weakly, one of each kind. */
export function weakStyles(): number[] {
  return [...(globalThis as unknown as StylesWorld).svWeak.values()];
}

/** Takes the focus from an element. */
export function leaveFocus(id: number): void {
  const element = (globalThis as unknown as ToolsWorld).svTools.elementOf(id);
  const blur = element instanceof SVGElement ? SVGElement.prototype.blur : HTMLElement.prototype.blur;
  if (element) blur.call(element as HTMLElement & SVGElement);
}
