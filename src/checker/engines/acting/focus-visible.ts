import { isFaint, seenChanges } from "../../../domain/acting/pictures.ts";
import { type Fault, report, type Walker } from "./findings.ts";
import { leaveFocus, sameStyles, weakStyles } from "./styles.ts";
import { focusOn, pause, type ToolsWorld } from "./tools.ts";
import type { Walk } from "./walk.ts";

/** Kinds of elements that are looked at on a page. */
const MAX_KINDS = 6;
/** Until transitions have ended. */
const SETTLE_MS = 150;
/** Until a style that comes late is there: looked for only where nothing came before. */
const LATE_MS = 900;

/** Elements that look the same, to the pixel, with and without the focus. Of each kind one is looked at. */
export async function findInvisibleFocus(walker: Walker, { stops }: Walk): Promise<void> {
  const { tab, places, limit, found } = walker;
  const isCovered = coverOf(walker);
  let looked = 0;
  for (const place of new Set(stops.map((stop) => stop.place)))
    for (const id of await limit.command(tab.call(place.world, sameStyles))) {
      if (looked >= MAX_KINDS) limit.cut(`more than ${MAX_KINDS} kinds of elements look the same with the focus`);
      if (looked >= MAX_KINDS || limit.isOver()) return;
      looked += 1;
      if (await showsFocus({ tab, limit }, { id, world: place.world })) continue;
      if (await isCovered(id, place.world)) continue;
      const element = await limit.command(places.describe(place, id));
      const summary = "Nothing of the page looks different when this element has the keyboard focus.";
      if (element) found.push({ rule: "sv-focus-visible", review: false, summary, element });
    }
}

/** Whether something that covers the window, such as a dialog that a page opens for the focus, lies over an element; which is said. */
function coverOf({ tab, limit }: Pick<Walker, "tab" | "limit">): (id: number, world: number) => Promise<boolean> {
  return async (id, world) => {
    const covered = await limit.command(tab.call(world, liesUnder, id));
    if (covered) limit.cut("what the focus changes of elements under something that covers the window");
    return covered;
  };
}

/** Runs in the page. */
function liesUnder(id: number): boolean {
  const { elementOf, rectangle, parentOf } = (globalThis as unknown as ToolsWorld).svTools;
  const element = elementOf(id);
  if (!element) return false;
  const isAround = (outer: Element, inner: Element): boolean => {
    for (let at: Element | null = inner; at; at = parentOf(at)) if (at === outer) return true;
    return false;
  };
  const covers = (one: Element): boolean => {
    for (let at: Element | null = one; at && !isAround(at, element); at = parentOf(at)) {
      const { width, height } = rectangle(at);
      if (2 * width * height > innerWidth * innerHeight) return true;
    }
    return false;
  };
  const { left, top, width, height } = rectangle(element);
  const hit = Document.prototype.elementFromPoint.call(document, left + width / 2, top + height / 2);
  return hit !== null && !isAround(element, hit) && !isAround(hit, element) && covers(hit);
}

/** Whether anything looks different with the focus; also by a style that comes after a delay or a transition. */
async function showsFocus(
  { tab, limit }: Pick<Walker, "tab" | "limit">,
  { id, world }: { id: number; world: number },
): Promise<boolean> {
  const focused = async (ms: number): Promise<string | undefined> => {
    if (!(await limit.command(tab.call(world, focusOn, id)))) return undefined;
    await limit.command(tab.call(world, pause, ms));
    return limit.command(tab.hands.picture());
  };
  const unfocused = async (ms: number): Promise<string> => {
    await limit.command(tab.call(world, leaveFocus, id));
    await limit.command(tab.call(world, pause, ms));
    return limit.command(tab.hands.picture());
  };
  let without: string | undefined;
  for (const ms of [SETTLE_MS, LATE_MS]) {
    const first = await focused(ms);
    if (first === undefined) return true;
    without ??= await unfocused(ms);
    if (first === without) continue;
    // Something else of the page may have changed in between, once: what the focus changes comes again.
    const again = await focused(ms);
    if (again === undefined) return true;
    if (again === without) continue;
    without = await unfocused(ms);
    if (again !== without) return true;
  }
  return false;
}

/** Elements of which little changes with the focus: of each kind one is looked at, pixel by pixel. */
export async function findWeakFocus(walker: Walker, { stops }: Walk): Promise<void> {
  const { tab, limit } = walker;
  const isCovered = coverOf(walker);
  let looked = 0;
  for (const place of new Set(stops.map((stop) => stop.place))) {
    // Where a frame is drawn in the window cannot be told.
    if (place.around) continue;
    const faults: Fault[] = [];
    for (const id of await limit.command(tab.call(place.world, weakStyles))) {
      if (looked >= MAX_KINDS) limit.cut(`more than ${MAX_KINDS} kinds of elements may show the focus weakly`);
      if (looked >= MAX_KINDS || limit.isOver()) break;
      looked += 1;
      const changed = await changeBy(walker, { id, world: place.world });
      if (changed === undefined || !isFaint(changed.pixels, changed)) continue;
      if (await isCovered(id, place.world)) continue;
      const size = `${Math.round(changed.width)} × ${Math.round(changed.height)}`;
      const summary = `${changed.pixels} pixels change by a contrast of 3 and more when this element of ${size} pixels has the keyboard focus.`;
      faults.push({ rule: "sv-focus-visible", id, review: true, summary });
    }
    await report(walker, place, faults, { most: MAX_KINDS, what: "kinds of elements show the focus weakly" });
  }
}

/** What may stand out around an element, such as a ring: in CSS pixels. */
const MARGIN = 8;
/** Further parts of a larger element are not looked at. */
const MAX_SIDE = 600;

/** How many pixels in and around an element are seen to change with the focus; undefined where that cannot be told. */
async function changeBy(
  { tab, limit }: Walker,
  { id, world }: { id: number; world: number },
): Promise<{ pixels: number; width: number; height: number } | undefined> {
  if (!(await limit.command(tab.call(world, focusOn, id)))) return undefined;
  await limit.command(tab.call(world, pause, SETTLE_MS));
  const box = await limit.command(tab.call(world, placeOf, id));
  if (!box) return undefined;
  const [x, y, width, height] = box;
  const part = {
    ...{ x: Math.max(0, Math.floor(x - MARGIN)), y: Math.max(0, Math.floor(y - MARGIN)) },
    ...{
      width: Math.ceil(Math.min(width, MAX_SIDE)) + 2 * MARGIN,
      height: Math.ceil(Math.min(height, MAX_SIDE)) + 2 * MARGIN,
    },
  };
  const focused = await limit.command(tab.hands.pixels(part));
  await limit.command(tab.call(world, leaveFocus, id));
  await limit.command(tab.call(world, pause, SETTLE_MS));
  const without = await limit.command(tab.hands.pixels(part));
  const pixels = seenChanges(without, focused);
  return pixels === undefined
    ? undefined
    : { pixels, width: Math.min(width, MAX_SIDE), height: Math.min(height, MAX_SIDE) };
}

/** Runs in the page. Where an element is in the document; null if it is not in the window. */
function placeOf(id: number): [number, number, number, number] | null {
  const { elementOf, rectangle } = (globalThis as unknown as ToolsWorld).svTools;
  const element = elementOf(id);
  if (!element) return null;
  const { left, top, right, bottom, width, height } = rectangle(element);
  const isIn = right > 0 && bottom > 0 && left < innerWidth && top < innerHeight;
  return isIn && width > 2 && height > 2 ? [left + scrollX, top + scrollY, width, height] : null;
}
