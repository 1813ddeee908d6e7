import { judgePaint } from "../../../domain/acting/care/judge.ts";
import type { SeenPaint } from "../../../domain/acting/care/seen.ts";
import { report, type Walker } from "./findings.ts";
import type { ReadingWorld } from "./see.ts";

/** The elements that are pointed at: one for each rule of a style sheet. */
const MAX_POINTED = 12;
/** The most findings of a page. */
const MAX_FOUND = 6;

/** Texts that lose their contrast while a mouse points at them, by a rule with `:hover`. The mouse presses nothing. */
export async function findPaleWhenPointed(walker: Walker): Promise<void> {
  const { tab, places, limit } = walker;
  const main = await limit.command(places.main());
  const painted: SeenPaint[] = [];
  const pointed = await limit.command(tab.call(main.world, changedByPointing, MAX_POINTED));
  for (const id of pointed) {
    const before = await limit.command(tab.call(main.world, paintOf, id));
    if (!before) continue;
    await limit.command(tab.hands.pointAt(before.x, before.y));
    const now = await limit.command(tab.call(main.world, paintOf, id));
    // What is pale without a mouse, too, axe-core has told.
    if (now && judgePaint([before.paint]).length === 0) painted.push(now.paint);
  }
  // The upper left corner, where next to nothing is: what comes next must not take what this shows for its own.
  if (pointed.length > 0) await limit.command(tab.hands.pointAt(0, 0));
  await report(walker, main, judgePaint(painted), { most: MAX_FOUND, what: "texts that pointing makes pale" });
}

/** Runs in the page: of each rule that gives other colours to what is pointed at, the first element that shows a text. */
function changedByPointing(max: number): number[] {
  const { svTools, svRead } = globalThis as unknown as ReadingWorld;
  const MAX_TRIED = 20;
  const colours = ["color", "background-color", "background-image", "opacity"];
  const selectors = svRead
    .styleRules()
    .filter(({ style }) => colours.some((name) => style.getPropertyValue(name) !== ""))
    .flatMap(({ selectorText }) => selectorText.split(",").map((one) => one.trim()));
  const found = new Set<number>();
  for (const selector of new Set(selectors.filter((one) => /:hover\b/.test(one) && !/:not\([^)]*:hover/.test(one)))) {
    if (found.size >= max) break;
    let elements: Element[] = [];
    try {
      elements = svRead.all(selector.replace(/:hover\b/g, "") || "*");
    } catch {
      // It says more than these selectors can.
      continue;
    }
    const shown = elements.slice(0, MAX_TRIED).find((one) => !svRead.isHidden(one) && svRead.textOf(one) !== "");
    if (shown) found.add(svTools.idOf(shown));
  }
  return [...found];
}

/** Runs in the page. @returns where to point, and the colours of the first text in it; null where another thing lies over it */
function paintOf(id: number): { x: number; y: number; paint: SeenPaint } | null {
  const { svTools, svRead } = globalThis as unknown as ReadingWorld;
  const element = svTools.elementOf(id);
  if (!element) return null;
  const { left, top, width, height } = svTools.rectangle(element);
  const [windowWidth, windowHeight] = [innerWidth, innerHeight];
  if (left < 0 || top < 0 || left + width > windowWidth || top + height > windowHeight)
    Element.prototype.scrollIntoView.call(element, { block: "center", inline: "center", behavior: "instant" });
  const box = svTools.rectangle(element);
  const [x, y] = [box.left + box.width / 2, box.top + Math.min(box.height, windowHeight) / 2];
  const at = Document.prototype.elementFromPoint.call(document, x, y);
  if (!at || !(Node.prototype.contains.call(element, at) || at === element)) return null;
  const walker = Document.prototype.createTreeWalker.call(document, element, NodeFilter.SHOW_TEXT);
  while (walker.nextNode() && (walker.currentNode as Text).data.trim() === "");
  const text = walker.currentNode;
  const owner = text instanceof Text ? svTools.parentOf(text as unknown as Element) : null;
  if (!owner || svRead.isHidden(owner)) return null;
  svTools.endTransitions();
  const style = getComputedStyle(owner);
  return {
    ...{ x, y },
    paint: {
      ...{ id, kind: "pointed at", colour: svRead.colourOf(style.color), behind: svRead.behind(owner), filled: null },
      text: (text as Text).data.trim().slice(0, 100),
      fontSize: Number.parseFloat(style.fontSize),
      isBold: Number(style.fontWeight) >= 700,
    },
  };
}
