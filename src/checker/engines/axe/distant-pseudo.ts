/**
 * axe-core leaves the contrast of a text undecided if the element, or one around it, has a large `::before` or `::after` with a
 * background, wherever that is. Here its source does not count one that surely is not there: it is seen nowhere, or its box is
 * apart from the text's (docs/adr/0142).
 */

/** Where axe-core adds up the sizes of both, for an element and then for those around it. */
const SIZES =
  /var (\w+)=(\w+)\.boundingClientRect,(\w+)=\1\.width\*\1\.height\*(\w+);do\{var (\w+)=(\w+)\(\2,":before"\),(\w+)=\6\(\2,":after"\)/;

/** axe-core's source as a script that does not count what surely is not at the text. */
export function withoutDistantPseudos(source: string): string {
  const counting = source.replace(
    SIZES,
    (_, rect, node, least, share, before, sizeOf, after) =>
      `var $own=${node}.actualNode,${rect}=${node}.boundingClientRect,${least}=${rect}.width*${rect}.height*${share};` +
      `do{var ${before}=$isApart($own,${node}.actualNode,":before")?0:${sizeOf}(${node},":before"),` +
      `${after}=$isApart($own,${node}.actualNode,":after")?0:${sizeOf}(${node},":after")`,
  );
  return `{ const $isApart = (${apart})(); ${counting}\n}`;
}

type Area = { left: number; top: number; right: number; bottom: number };

/**
 * Runs in the page before axe-core, and uses nothing outside itself.
 *
 * @returns a function that returns whether a pseudo-element of `host` surely is not where the text of `own` is
 */
function apart(): (own: Element, host: Element, pseudo: string) => boolean {
  /** By pseudo-element: where it is, "nowhere", or undefined if that cannot be told. */
  const known = new WeakMap<Element, Map<string, Area | "nowhere" | undefined>>();
  const number = (element: Element, name: string): number => Reflect.get(Element.prototype, name, element) as number;
  const rectangle = (element: Element): DOMRect => Element.prototype.getBoundingClientRect.call(element);
  const parentOf = (element: Element): Element | null =>
    Reflect.get(Node.prototype, "parentElement", element) as Element | null;
  const all = (style: CSSStyleDeclaration, values: Readonly<Record<string, string>>): boolean =>
    Object.entries(values).every(
      ([name, value]) => /^$/.test(style.getPropertyValue(name)) || style.getPropertyValue(name) === value,
    );
  /** What moves an element, or scales it, after its place is known. */
  const still = {
    transform: "none",
    translate: "none",
    rotate: "none",
    scale: "none",
    perspective: "none",
    zoom: "1",
    "offset-path": "none",
  };
  /** What paints outside of an element's box. */
  const inside = {
    "box-shadow": "none",
    filter: "none",
    "backdrop-filter": "none",
    "outline-style": "none",
    "border-image-source": "none",
    "-webkit-box-reflect": "none",
  };
  /** What makes an element the one that positions are relative to, beside `position`. */
  const open = {
    filter: "none",
    "backdrop-filter": "none",
    "will-change": "auto",
    contain: "none",
    "container-type": "normal",
    "content-visibility": "visible",
  };
  const inPixels = (...values: string[]): number =>
    values.reduce((sum, value) => sum + (/^-?[\d.]+px$/.test(value) ? Number.parseFloat(value) : Number.NaN), 0);
  const isRelative = (one: Element): boolean => getComputedStyle(one).position !== "static";
  /** The element that positions in `host` are relative to, if all around it is in its place. */
  const relativeTo = (host: Element): Element | undefined => {
    const around: Element[] = [];
    for (let at: Element | null = host; at; at = parentOf(at)) around.push(at);
    const isMoved = (one: Element): boolean =>
      !all(getComputedStyle(one), still) || Reflect.get(Element.prototype, "assignedSlot", one) !== null;
    const at = around.findIndex(isRelative);
    const found = around[at];
    if (!found || around.some(isMoved) || Node.prototype.getRootNode.call(host) !== document) return undefined;
    if (!around.slice(0, at).every((one) => all(getComputedStyle(one), open))) return undefined;
    const isBlock = /^(?:block|list-item|flow-root|(?:inline-)?(?:flex|grid|block))$/.test(
      getComputedStyle(found).display,
    );
    const isWhole = Element.prototype.getClientRects.call(found).length === 1;
    const isScrolled = number(found, "scrollLeft") !== 0 || number(found, "scrollTop") !== 0;
    return isBlock && isWhole && !isScrolled ? found : undefined;
  };
  const isMoving = (host: Element): boolean =>
    Document.prototype.getAnimations
      .call(document)
      .some(
        ({ effect }) => effect instanceof KeyframeEffect && effect.target === host && effect.pseudoElement !== null,
      );
  const areaOf = (host: Element, pseudo: string): Area | "nowhere" | undefined => {
    const style = getComputedStyle(host, pseudo);
    if (style.position !== "absolute" || isMoving(host)) return undefined;
    if (style.opacity === "0") return "nowhere";
    if (!all(style, still) || !all(style, inside) || /[(]/.test(style.content)) return undefined;
    const around = relativeTo(host);
    if (!around) return undefined;
    const { left: x, top: y } = rectangle(around);
    const left = x + number(around, "clientLeft") + inPixels(style.left, style.marginLeft);
    const top = y + number(around, "clientTop") + inPixels(style.top, style.marginTop);
    // Larger than it is if its width has these in it, which does no harm.
    const right =
      left +
      inPixels(style.width, style.paddingLeft, style.paddingRight, style.borderLeftWidth, style.borderRightWidth);
    const bottom =
      top +
      inPixels(style.height, style.paddingTop, style.paddingBottom, style.borderTopWidth, style.borderBottomWidth);
    return Number.isNaN(left + top + right + bottom) ? undefined : { left, top, right, bottom };
  };
  const meets = (one: Area, other: Area): boolean =>
    one.left < other.right + 1 &&
    other.left < one.right + 1 &&
    one.top < other.bottom + 1 &&
    other.top < one.bottom + 1;
  return (own, host, pseudo) => {
    const ofHost = known.get(host) ?? new Map<string, Area | "nowhere" | undefined>();
    known.set(host, ofHost);
    if (!ofHost.has(pseudo)) ofHost.set(pseudo, areaOf(host, pseudo));
    const area = ofHost.get(pseudo);
    if (area === undefined || area === "nowhere") return area === "nowhere";
    const text = new Range();
    text.selectNodeContents(own);
    return !meets(area, rectangle(own)) && !meets(area, text.getBoundingClientRect());
  };
}
