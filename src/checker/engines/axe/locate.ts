import type { FrameContext } from "axe-core";
import type { Tab } from "../../../browser/tab.ts";
import { type Box, boxOf } from "../../../domain/findings/box.ts";
import { within } from "../../../time/within.ts";
import { findFrame, type RuleResult } from "./in-page.ts";
import { measureElements, measureFrame, type Rectangle, scrolled } from "./measure-in-page.ts";

type Node = RuleResult["nodes"][number];
type Selector = Node["target"][number];

/** A frame in which elements are located: its world, its viewport's offset in the main document, its visible part. */
type Place = { world: number; left: number; top: number; area?: Box };

/** Further elements are not located: no more are stored of a page. */
const MAX_ELEMENTS = 5_000;
/** The most frames in which elements are located. */
const MAX_FRAMES = 50;
/** The time for the elements of one frame; the remaining ones are not located. */
const ELEMENTS_LIMIT_MS = 2_000;
/** The time for all frames; elements in the remaining ones are not located. */
const FRAMES_LIMIT_MS = 5_000;

/**
 * Gives each element its box in the current document. Must be called in the visit in which axe-core found the elements.
 * The first elements of each rule come first, because results are cut in the same order.
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
    // Elements in a frame that is gone, or that belongs to another process, get no box.
    const place = known.catch(() => null);
    places.set(key, place);
    return place;
  };
  for (const nodes of groups) {
    const place = await placeOf(nodes[0]?.target.slice(0, -1) ?? []);
    if (place) await measure(tab, place, nodes).catch(() => {});
  }
}

/** @returns null for a frame that is invisible, or whose place is unknown */
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

/** Converts a rectangle from a frame's viewport to the main document. */
function moved(rectangle: Rectangle | null | undefined, { left, top }: Place): Rectangle | null {
  if (!Array.isArray(rectangle)) return null;
  const [x, y, width, height] = rectangle;
  return [x + left, y + top, width, height];
}
