import type { ActingRuleName } from "../../../domain/acting/rules.ts";
import { report, type Walker } from "./findings.ts";
import { pause, type ToolsWorld } from "./tools.ts";

/** A window of usual size, one that shows the same at 200 %, and one that is 320 CSS pixels wide, as at 400 %. */
const USUAL = [1280, 1024] as const;
const ZOOMED = [640, 512] as const;
const NARROW = [320, 256] as const;
/** For scripts that follow the window's size. */
const SETTLE_MS = 60;
/** The most findings of a rule on a page. */
const MAX_FOUND = 20;

/** The text spacing that a page must bear (WCAG 2.2, 1.4.12). */
const SPACING =
  "* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important } p { margin-bottom: 2em !important }";

/** `mayBeElsewhere`: it says by an ellipsis that there is more, or hides whole lines, which a control may show. */
type Clipped = { id: number; mayBeElsewhere: boolean };
/** `closed`: nothing of what is in them can be read, as of a menu that is not open. */
type Measured = { clipped: Clipped[]; closed: number[]; wide: number[]; both: number[]; hasCutting: boolean };

/** A text that is not enlarged to this share of its size at 200 % has not been zoomed. */
const MIN_ENLARGED = 1.2;

/**
 * Looks at the page in other sizes, and with other spacing, than its own.
 *
 * @param reviews whether what a person has to judge is looked for
 */
export async function findInSizes(walker: Walker, { reviews }: { reviews: boolean }): Promise<void> {
  const { tab, places, limit } = walker;
  const main = await limit.command(places.main());
  const measure = async (isNarrow: boolean): Promise<Measured> => {
    await limit.command(tab.call(main.world, pause, SETTLE_MS));
    return limit.command(tab.call(main.world, measureTexts, isNarrow));
  };
  const at = async ([width, height]: readonly [number, number], isNarrow = false): Promise<Measured> => {
    await limit.command(tab.hands.resize(width, height));
    return measure(isNarrow);
  };
  const tell = (rule: ActingRuleName, ids: readonly { id: number; review: boolean }[], summary: string) => {
    const faults = ids.map((one) => ({ ...one, rule, summary }));
    return report(walker, main, faults, { most: MAX_FOUND, what: `findings of ${rule}` });
  };
  const usual = await at(USUAL);
  const fresh = ({ clipped }: Measured): Clipped[] =>
    clipped.filter(({ id }) => !usual.clipped.some((before) => before.id === id));
  /** Cut off when the text alone is enlarged; not what more spacing cuts off, too. */
  let enlarged: number[] = [];
  // Spacing and sizes of letters make no part cut off its texts that did not before.
  if (reviews && usual.hasCutting) {
    const removeStyle = await limit.command(tab.hands.addStyle(main.frameId, SPACING));
    const spaced = fresh(await measure(false));
    await tell(
      "sv-spacing-clips-text",
      spaced.map(({ id }) => ({ id, review: true })),
      "Text in this element is cut off when lines, words and letters have more space between them.",
    );
    await limit.command(removeStyle());
    await limit.command(tab.call(main.world, enlargeTexts, 2));
    const measured = await measure(false);
    // What was read before, and is gone altogether, is no menu that closes.
    const gone = measured.closed.filter((id) => !usual.closed.includes(id));
    enlarged = [...fresh(measured).map(({ id }) => id), ...gone].filter((id) => !spaced.some((one) => one.id === id));
    await limit.command(tab.call(main.world, restoreTexts));
  }
  if (reviews) await limit.command(tab.call(main.world, noteSizes));
  const zoomed = fresh(await at(ZOOMED));
  await tell(
    "sv-zoom-clips-text",
    zoomed.map(({ id, mayBeElsewhere }) => ({ id, review: mayBeElsewhere })),
    `Text in this element is cut off in a window of ${ZOOMED[0]} × ${ZOOMED[1]} CSS pixels, as at 200 %.`,
  );
  if (reviews) {
    await tell(
      "sv-zoom-clips-text",
      enlarged.filter((id) => !zoomed.some((one) => one.id === id)).map((id) => ({ id, review: true })),
      "Text in this element is cut off when the text alone is enlarged to 200 %.",
    );
    await tell(
      "sv-zoom-clips-text",
      (await limit.command(tab.call(main.world, notEnlarged, MIN_ENLARGED))).map((id) => ({ id, review: true })),
      `Text in this element is sized by the window: in one of half the width it is half as large, so that zooming to 200 % does not enlarge it.`,
    );
    const { wide, both } = await at(NARROW, true);
    await tell(
      "sv-reflow",
      both.map((id) => ({ id, review: true })),
      `Text in this element has to be scrolled in two directions in a window of ${NARROW[0]} CSS pixels.`,
    );
    await tell(
      "sv-reflow",
      wide.map((id) => ({ id, review: true })),
      `This element makes the page wider than ${NARROW[0]} CSS pixels, so that each line has to be scrolled.`,
    );
  }
  await limit.command(tab.hands.rest());
  // A page that follows the window's size has to be as it was before it is used.
  await limit.command(tab.call(main.world, pause, SETTLE_MS));
  await limit.command(tab.call(main.world, settle));
}

/** Runs in the page. */
function settle(): void {
  (globalThis as unknown as ToolsWorld).svTools.endTransitions();
}

/** Runs in the page. Elements that cut off text in them; and with `isNarrow` those that are wider than the window. */
function measureTexts(isNarrow: boolean): Measured {
  const { idOf, parentOf, nameOf, rectangle, isVisible, attribute, endTransitions } = (
    globalThis as unknown as ToolsWorld
  ).svTools;
  endTransitions();
  const MAX_ELEMENTS = 8_000;
  const number = (element: Element, name: string): number => Reflect.get(Element.prototype, name, element) as number;
  const all = [...Document.prototype.querySelectorAll.call(document, "body *")].slice(0, MAX_ELEMENTS);
  const cuts = (overflow: string): boolean => overflow === "hidden" || overflow === "clip";
  const upTo = (from: Element | null, end: Element | null, test: (one: Element) => boolean): boolean => {
    for (let at = from; at && at !== end; at = parentOf(at)) if (test(at)) return true;
    return false;
  };
  /** What is moved by an animation is where it happens to be. */
  const isStill = /^(?:offset|easing|composite|computedOffset|opacity|visibility|filter|.*(?:color|shadow))$/i;
  const moving = new Set<Element>();
  for (const { effect } of Document.prototype.getAnimations.call(document).slice(0, 1_000))
    if (effect instanceof KeyframeEffect && effect.target && !effect.pseudoElement)
      if (effect.getKeyframes().some((frame) => Object.keys(frame).some((name) => !isStill.test(name))))
        moving.add(effect.target);
  const isMoved = (element: Element): boolean => moving.has(element) || nameOf(element) === "marquee";
  const isHidden = (element: Element): boolean => {
    for (let at: Element | null = element; at; at = parentOf(at))
      if (attribute(at, "aria-hidden") === "true") return true;
    return !isVisible(element);
  };
  /** Whether it has its own way to be read or is cut off by itself. */
  const isApart = (element: Element): boolean => {
    const { overflowX, overflowY, position } = getComputedStyle(element);
    if (position === "fixed") return true;
    const isLarger =
      number(element, "scrollHeight") > number(element, "clientHeight") + 1 ||
      number(element, "scrollWidth") > number(element, "clientWidth") + 1;
    return isLarger && /auto|scroll|hidden|clip/.test(`${overflowX} ${overflowY}`);
  };
  const textsIn = (element: Element): Text[] => {
    const walker = Document.prototype.createTreeWalker.call(document, element, NodeFilter.SHOW_TEXT);
    const texts: Text[] = [];
    while (texts.length < 60 && walker.nextNode())
      if (/\S\s*\S/.test((walker.currentNode as Text).data)) texts.push(walker.currentNode as Text);
    return texts;
  };
  /** Text before the beginning of the page is there for those who do not see: nobody can scroll to it. */
  const isThere = ({ width, height, right, bottom }: DOMRect): boolean =>
    width >= 1 && height >= 1 && right + scrollX > 0 && bottom + scrollY > 0;
  /** Where its lines of text are. */
  const linesIn = (element: Element): DOMRect[] =>
    textsIn(element).flatMap((text) => {
      const parent = Reflect.get(Node.prototype, "parentElement", text) as Element | null;
      if (!parent || !isVisible(parent) || upTo(parent, element, (one) => isApart(one) || isMoved(one))) return [];
      const range = new Range();
      range.selectNodeContents(text);
      return [...range.getClientRects()].slice(0, 40).filter(isThere);
    });
  /** What can be seen of an element's content: left, top, right and bottom. */
  const insideOf = (element: Element): [x: number, y: number, right: number, bottom: number] => {
    const { left, top } = rectangle(element);
    const [x, y] = [left + number(element, "clientLeft"), top + number(element, "clientTop")];
    return [x, y, x + number(element, "clientWidth"), y + number(element, "clientHeight")];
  };
  const isOutside = (element: Element): ((line: DOMRect) => boolean) => {
    const [x, y, right, bottom] = insideOf(element);
    return (line) => line.left >= right || line.right <= x || line.top >= bottom || line.bottom <= y;
  };
  /** Whether a line can be read in the element. */
  const readsIn = (element: Element, style: CSSStyleDeclaration): ((line: DOMRect) => boolean) => {
    const [x, y, right, bottom] = insideOf(element);
    return (line) => {
      // A part of the space between lines is no ink.
      const space = line.height * 0.15;
      const across = cuts(style.overflowX) ? Math.max(0, line.right - right, x - line.left) : 0;
      const down = cuts(style.overflowY) ? Math.max(0, line.bottom - space - bottom, y - line.top - space) : 0;
      return across <= Math.min(4, line.width / 2) && down <= 1.5;
    };
  };
  const closed: number[] = [];
  let hasCutting = false;
  const clipped = all.flatMap((element): Clipped[] => {
    const style = getComputedStyle(element);
    if (!cuts(style.overflowX) && !cuts(style.overflowY)) return [];
    hasCutting = true;
    const { width, height } = rectangle(element);
    if (width < 5 || height < 5 || style.clip !== "auto" || style.clipPath !== "none") return [];
    const isLarger =
      number(element, "scrollWidth") > number(element, "clientWidth") + 1 ||
      number(element, "scrollHeight") > number(element, "clientHeight") + 1;
    if (!isLarger || isHidden(element) || upTo(element, null, isMoved)) return [];
    const hasEllipsis = style.textOverflow === "ellipsis" || Number(style.webkitLineClamp) > 0;
    const lines = linesIn(element);
    const reads = readsIn(element, style);
    const unread = lines.filter((line) => !reads(line));
    // What hides several lines altogether is closed, such as a menu.
    if (lines.length > 1 && unread.length === lines.length) closed.push(idOf(element));
    const isCut = unread.length > 0 && (unread.length < lines.length || lines.length === 1);
    return isCut ? [{ id: idOf(element), mayBeElsewhere: hasEllipsis || unread.every(isOutside(element)) }] : [];
  });
  // What needs two dimensions to be understood or used may be wide (WCAG 2.2, 1.4.10).
  const needsRoom =
    "table,img,svg,canvas,video,iframe,object,embed,pre,code,kbd,samp,math,map,[role=toolbar],[role=grid],[role=application],select,input,textarea";
  const isToTheLeft = getComputedStyle(document.documentElement).direction === "rtl";
  const exceeds = (element: Element): boolean => {
    const { left, right } = rectangle(element);
    return isToTheLeft ? left + scrollX < -3 : right + scrollX > innerWidth + 3;
  };
  const isHeld = (element: Element): boolean =>
    upTo(element, document.documentElement, (one) => {
      if (Element.prototype.matches.call(one, needsRoom) || isMoved(one)) return true;
      const { overflowX, visibility, position } = getComputedStyle(one);
      // What waits beside the window, as a drawer does, widens nothing.
      const isAside = position === "fixed" && (rectangle(one).left >= innerWidth || rectangle(one).right <= 0);
      return visibility === "hidden" || isAside || (one !== element && overflowX !== "visible");
    });
  const root = Reflect.get(Document.prototype, "scrollingElement", document) as Element | null;
  const isWide = isNarrow && root !== null && number(root, "scrollWidth") > innerWidth + 3;
  const wide = !isWide
    ? []
    : all.filter((element) => {
        const { width, height } = rectangle(element);
        if (width < 1 || height < 1 || !exceeds(element) || !isVisible(element)) return false;
        const inner = [...(Reflect.get(Element.prototype, "children", element) as HTMLCollection)];
        return !inner.some(exceeds) && !isHeld(element);
      });
  const both = !isNarrow
    ? []
    : all.filter((element) => {
        const { overflowX, overflowY } = getComputedStyle(element);
        if (!/auto|scroll/.test(overflowX) || !/auto|scroll/.test(overflowY) || isHidden(element)) return false;
        const isLarger =
          number(element, "scrollHeight") > number(element, "clientHeight") + 8 &&
          number(element, "scrollWidth") > number(element, "clientWidth") + 24;
        if (!isLarger || Element.prototype.matches.call(element, needsRoom)) return false;
        // Of a table or a drawing, two directions are needed.
        return Element.prototype.querySelector.call(element, needsRoom) === null && textsIn(element).length > 0;
      });
  return { clipped, closed, wide: wide.map(idOf), both: both.map(idOf), hasCutting };
}

type SizesWorld = ToolsWorld & {
  /** What was set before, to be set again. */
  svEnlarged?: [HTMLElement, value: string, priority: string][];
  svSizes?: Map<Element, number>;
};

/** Runs in the page: makes text larger, and nothing else, as browsers can. */
function enlargeTexts(factor: number): void {
  const world = globalThis as unknown as SizesWorld;
  const MAX_TEXTS = 3_000;
  const walker = Document.prototype.createTreeWalker.call(document, document, NodeFilter.SHOW_TEXT);
  const elements = new Set<HTMLElement>();
  while (elements.size < MAX_TEXTS && walker.nextNode()) {
    const parent = Reflect.get(Node.prototype, "parentElement", walker.currentNode) as Element | null;
    if (parent instanceof HTMLElement && /\S/.test((walker.currentNode as Text).data)) elements.add(parent);
  }
  const sizes = [...elements].map((one) => [one, Number.parseFloat(getComputedStyle(one).fontSize)] as const);
  const styleOf = (one: HTMLElement) => Reflect.get(HTMLElement.prototype, "style", one) as CSSStyleDeclaration;
  world.svEnlarged = sizes.map(([one]) => {
    const style = styleOf(one);
    return [one, style.getPropertyValue("font-size"), style.getPropertyPriority("font-size")];
  });
  for (const [one, size] of sizes) styleOf(one).setProperty("font-size", `${size * factor}px`, "important");
}

/** Runs in the page. */
function restoreTexts(): void {
  const { svEnlarged = [] } = globalThis as unknown as SizesWorld;
  for (const [one, value, priority] of svEnlarged) {
    const style = Reflect.get(HTMLElement.prototype, "style", one) as CSSStyleDeclaration;
    if (value === "") style.removeProperty("font-size");
    else style.setProperty("font-size", value, priority);
    if (Element.prototype.getAttribute.call(one, "style") === "") Element.prototype.removeAttribute.call(one, "style");
  }
}

/** Runs in the page: notes the sizes of texts in a window of usual size. */
function noteSizes(): void {
  const world = globalThis as unknown as SizesWorld;
  world.svTools.endTransitions();
  const all = [...Document.prototype.querySelectorAll.call(document, "p,h1,h2,h3,h4,li,td,th,a,span,label,button,div")];
  const hasText = (one: Element): boolean =>
    [...(Reflect.get(Node.prototype, "childNodes", one) as NodeList)].some(
      (node) => node instanceof Text && node.data.trim().length > 2,
    );
  const texts = all.slice(0, 4_000).filter((one) => hasText(one) && world.svTools.isVisible(one));
  world.svSizes = new Map(texts.map((one) => [one, Number.parseFloat(getComputedStyle(one).fontSize)]));
}

/** Runs in the page, in a window of half the width: texts that zooming does not enlarge; one of each size. */
function notEnlarged(minEnlarged: number): number[] {
  const { svTools, svSizes = new Map() } = globalThis as unknown as SizesWorld;
  const found = new Map<number, number>();
  for (const [one, before] of svSizes) {
    const now = Number.parseFloat(getComputedStyle(one).fontSize);
    if (2 * now < before * minEnlarged && !found.has(before) && svTools.isVisible(one))
      found.set(before, svTools.idOf(one));
  }
  return [...found.values()];
}
