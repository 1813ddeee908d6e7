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
type Measured = { clipped: Clipped[]; wide: number[] };

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
  if (reviews) {
    const removeStyle = await limit.command(tab.hands.addStyle(main.frameId, SPACING));
    const spaced = fresh(await measure(false));
    await tell(
      "sv-spacing-clips-text",
      spaced.map(({ id }) => ({ id, review: true })),
      "Text in this element is cut off when lines, words and letters have more space between them.",
    );
    await limit.command(removeStyle());
  }
  const zoomed = fresh(await at(ZOOMED));
  await tell(
    "sv-zoom-clips-text",
    zoomed.map(({ id, mayBeElsewhere }) => ({ id, review: mayBeElsewhere })),
    `Text in this element is cut off in a window of ${ZOOMED[0]} × ${ZOOMED[1]} CSS pixels, as at 200 %.`,
  );
  if (reviews) {
    const { wide } = await at(NARROW, true);
    await tell(
      "sv-reflow",
      wide.map((id) => ({ id, review: true })),
      `This element makes the page wider than ${NARROW[0]} CSS pixels, so that each line has to be scrolled.`,
    );
  }
  await limit.command(tab.hands.rest());
}

/** Runs in the page. Elements that cut off text in them; and with `isNarrow` those that are wider than the window. */
function measureTexts(isNarrow: boolean): Measured {
  const { idOf, parentOf, nameOf, rectangle, isVisible, attribute } = (globalThis as unknown as ToolsWorld).svTools;
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
  const clipped = all.flatMap((element): Clipped[] => {
    const style = getComputedStyle(element);
    if (!cuts(style.overflowX) && !cuts(style.overflowY)) return [];
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
      const { overflowX, visibility } = getComputedStyle(one);
      return visibility === "hidden" || (one !== element && overflowX !== "visible");
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
  return { clipped, wide: wide.map(idOf) };
}
