import type { FrameContext } from "axe-core";
import type { Tab } from "../../../browser/tab.ts";
import { type Box, boxOf } from "../../../domain/box.ts";
import { within } from "../../../time/within.ts";
import { findFrame, type RuleResult } from "./in-page.ts";
import { measureElements, measureFrame, type Rectangle, scrolled } from "./measure-in-page.ts";

type Node = RuleResult["nodes"][number];
type Selector = Node["target"][number];

/** A frame that is looked into: its world, where its viewport begins in the main document, and what can be seen of it. */
type Place = { world: number; left: number; top: number; area?: Box };

/** Elements beyond are not located. No more of them fit what is stored of a page. */
const MAX_ELEMENTS = 5_000;
/** Frames that are looked into. */
const MAX_FRAMES = 50;
/** For the elements of one frame; those that are looked for later are not located. */
const ELEMENTS_LIMIT_MS = 2_000;
/** For all frames: elements in those that take longer are not located. */
const FRAMES_LIMIT_MS = 5_000;

/**
 * Gives each element its box, in the document as it is now: called in the visit in which axe-core found it. Of each
 * rule the first elements come first, as they do where results are cut.
 */
export async function locate(tab: Tab, rules: readonly RuleResult[]): Promise<void> {
  const nodes = rules
    .flatMap((rule) => rule.nodes.map((node, index) => ({ node, index })))
    .sort((a, b) => a.index - b.index)
    .slice(0, MAX_ELEMENTS)
    .map(({ node }) => node);
  const byFrame = Map.groupBy(nodes, ({ target }) => JSON.stringify(target.slice(0, -1)));
  const main = await mainPlace(tab);
  await measure(tab, main, byFrame.get("[]") ?? []);
  byFrame.delete("[]");
  const inFrames = locateInFrames(tab, main, [...byFrame.values()].slice(0, MAX_FRAMES));
  await within(FRAMES_LIMIT_MS, inFrames, undefined).catch(() => {});
}

async function mainPlace(tab: Tab): Promise<Place> {
  const world = await tab.createWorld(tab.mainFrameId);
  const [left, top] = await tab.call(world, scrolled);
  return { world, left: Number(left) || 0, top: Number(top) || 0 };
}

async function locateInFrames(tab: Tab, main: Place, groups: readonly (readonly Node[])[]): Promise<void> {
  const places = new Map<string, Promise<Place | null>>([["[]", Promise.resolve(main)]]);
  const placeOf = (path: readonly Selector[]): Promise<Place | null> => {
    const key = JSON.stringify(path);
    const known =
      places.get(key) ?? placeOf(path.slice(0, -1)).then((outer) => outer && enter(tab, outer, path.at(-1)));
    // A frame that is gone, or of another process, leaves its elements without a box.
    const place = known.catch(() => null);
    places.set(key, place);
    return place;
  };
  for (const nodes of groups) {
    const place = await placeOf(nodes[0]?.target.slice(0, -1) ?? []);
    if (place) await measure(tab, place, nodes).catch(() => {});
  }
}

/** @returns null for a frame of which nothing can be seen, or whose place is not known */
async function enter(tab: Tab, outer: Place, frame: Selector | undefined): Promise<Place | null> {
  if (frame === undefined) return null;
  const content = moved(await tab.call(outer.world, measureFrame, frame), outer);
  const area = boxOf(content, outer.area);
  const frameId = await tab.frameOf(outer.world, findFrame, frame as FrameContext["frameSelector"]);
  if (!content || !area || !frameId) return null;
  return { world: await tab.createWorld(frameId), left: content[0], top: content[1], area };
}

async function measure(tab: Tab, place: Place, nodes: readonly Node[]): Promise<void> {
  const selectors = nodes.map(({ target }) => target.at(-1) ?? "");
  const measured: unknown =
    selectors.length > 0 ? await tab.call(place.world, measureElements, selectors, ELEMENTS_LIMIT_MS) : [];
  const rectangles = Array.isArray(measured) ? (measured as (Rectangle | null)[]) : [];
  for (const [index, node] of nodes.entries()) node.box = boxOf(moved(rectangles[index], place), place.area);
}

/** From a frame's viewport to the main document. */
function moved(rectangle: Rectangle | null | undefined, { left, top }: Place): Rectangle | null {
  if (!Array.isArray(rectangle)) return null;
  const [x, y, width, height] = rectangle;
  return [x + left, y + top, width, height];
}
