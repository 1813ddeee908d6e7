import type { Tab } from "../../../browser/tab.ts";
import type { ActedElement } from "../../../domain/acting/issues.ts";
import { boxOf } from "../../../domain/findings/box.ts";
import { MAX_TEXT_LENGTH } from "../axe/issues.ts";
import { scrolled } from "../axe/measure-in-page.ts";
import { installStyles } from "./styles.ts";
import { activeFrame, describeElement, installTools, readStop, type Stop } from "./tools.ts";

/** A document of the page: its world, and the element in whose frame it is. */
export type Place = { frameId: string; world: number; around?: { place: Place; id: number } };

/** Where the focus is. */
export type Focus = Stop & { key: string; place: Place };

/** How long a step waits for a timer of the page that may move the focus, and for those that a later timer may hide. */
const LATE_MS = 300;
const HIDDEN_MS = 25;
/** How deep frames are followed. */
const MAX_FRAME_DEPTH = 5;

export type Places = {
  main(): Promise<Place>;
  /** Where the focus is; null for nowhere in the page. */
  focus(): Promise<Focus | null>;
  describe(place: Place, id: number): Promise<ActedElement | null>;
};

/**
 * Follows the focus through the documents of a page.
 *
 * @param hide selectors of elements that are not described
 * @param acts whether the focus is moved
 */
export function placesOf(tab: Tab, { hide, acts }: { hide: readonly string[]; acts: boolean }): Places {
  const known = new Map<string, Place>();
  const enter = async (frameId: string, around?: Place["around"]): Promise<Place> => {
    const world = await tab.createWorld(frameId);
    const before = known.get(frameId);
    if (before?.world === world) return before;
    await tab.call(world, installTools, MAX_TEXT_LENGTH);
    if (acts) await tab.call(world, installStyles);
    const place = { frameId, world, ...(around && { around }) };
    known.set(frameId, place);
    return place;
  };
  const main = async () => (isSameDocument(tab) && known.get(tab.mainFrameId)) || enter(tab.mainFrameId);
  const focusIn = async (place: Place, depth: number): Promise<Focus | null> => {
    const stop = await tab.call(place.world, readStop, LATE_MS, HIDDEN_MS);
    if (!stop) return null;
    if (stop.isFrame && depth < MAX_FRAME_DEPTH) {
      const frameId = await tab.frameOf(place.world, activeFrame);
      // Timers do not fire in a frame without scripts, so that nothing could be waited for.
      const inner =
        frameId &&
        !tab.forbidsScripts(frameId) &&
        (await focusIn(await enter(frameId, { place, id: stop.id }), depth + 1));
      if (inner) return inner;
    }
    return { ...stop, key: `${place.frameId} ${stop.id}`, place };
  };
  const describe = async ({ world, around }: Place, id: number): Promise<ActedElement | null> => {
    const found = await tab.call(world, describeElement, id, hide);
    if (!found) return null;
    const { extract, target, rectangle, element } = found;
    const outer = around && (await describe(around.place, around.id));
    if (around && !outer) return null;
    // Where a frame is turned or scaled cannot be told, so elements in frames have the box of what is around them.
    const box = outer ? outer.box : boxOf(await inDocument(rectangle));
    return {
      extract,
      target: outer ? `${outer.target} >>> ${target}` : target,
      box,
      element: outer ? { ...element, ancestors: [...element.ancestors, { name: "iframe" }] } : element,
    };
  };
  const inDocument = async (rectangle: readonly number[] | null): Promise<number[] | null> => {
    if (!rectangle) return null;
    const [left, top] = await tab.call((await main()).world, scrolled);
    const [x = 0, y = 0, width = 0, height = 0] = rectangle;
    return [x + left, y + top, width, height];
  };
  return { main, focus: async () => focusIn(await main(), 0), describe };
}

/** Then its world is there, too. */
function isSameDocument(tab: Tab): boolean {
  try {
    tab.requireSameDocument();
    return true;
  } catch {
    return false;
  }
}
