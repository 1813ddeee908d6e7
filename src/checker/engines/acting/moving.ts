import { tryControls } from "./controls.ts";
import { report, type Walker } from "./findings.ts";
import type { ToolsWorld } from "./tools.ts";

/** What moves for longer than this needs a way to pause, stop or hide it (WCAG 2.2, 2.2.2). */
const MAX_MS = 5_000;
/** The most findings of a page. */
const MAX_FOUND = 10;

/**
 * What moves by itself, beside other content; controls that say so are pressed. Of equal
 * animations the first. At the end of acting: the page's clock stands still afterwards.
 *
 * @param before what moved before the page was used
 */
export async function findMoving(walker: Walker, before: readonly number[]): Promise<void> {
  const { tab, places, limit } = walker;
  const main = await limit.command(places.main());
  if (before.length === 0) return;
  let left = before;
  const nothing = async (): Promise<void> => {};
  const tried = await tryControls(walker, main, "motion", nothing, async () => {
    const now = await limit.command(tab.call(main.world, movingIn, MAX_MS));
    left = left.filter((id) => now.includes(id));
    return left.length === 0;
  });
  if (tried === "untried") return;
  const control = tried === "pressed" ? "the controls that say so do not stop it" : "no control that says so stops it";
  const summary = `This element moves by itself for more than ${MAX_MS / 1_000} s, and ${control}.`;
  const faults = left.map((id) => ({ rule: "sv-moving-content" as const, id, review: true, summary }));
  await report(walker, main, faults, { most: MAX_FOUND, what: "elements move" });
}

/** What moves by itself now, as ids of elements. */
export async function readMoving({ tab, places, limit }: Walker): Promise<number[]> {
  const main = await limit.command(places.main());
  return limit.command(tab.call(main.world, movingIn, MAX_MS));
}

/** Runs in the page. */
function movingIn(maxMs: number): number[] {
  const { idOf, rectangle, isVisible, nameOf } = (globalThis as unknown as ToolsWorld).svTools;
  const all = (selector: string): Element[] => [...Document.prototype.querySelectorAll.call(document, selector)];
  const isShown = (element: Element): boolean => {
    const { width, height } = rectangle(element);
    return width > 4 && height > 4 && isVisible(element);
  };
  const names = new Map<string, Element>();
  const changes = (effect: KeyframeEffect): boolean =>
    effect
      .getKeyframes()
      .some((frame) => Object.keys(frame).some((name) => !/^(?:offset|easing|composite|computedOffset)$/.test(name)));
  for (const animation of Document.prototype.getAnimations.call(document).slice(0, 300)) {
    const { effect, playState } = animation;
    if (playState !== "running" || !(effect instanceof KeyframeEffect) || !effect.target || effect.pseudoElement)
      continue;
    // A timeline of scrolling moves only with the reader.
    if (animation.timeline !== document.timeline || Number(effect.getComputedTiming().endTime) <= maxMs) continue;
    const name = animation instanceof CSSAnimation ? animation.animationName : nameOf(effect.target);
    if (!names.has(name) && changes(effect) && isShown(effect.target)) names.set(name, effect.target);
  }
  const videos = all("video[autoplay]").filter((video) => {
    const length = Reflect.get(HTMLMediaElement.prototype, "duration", video) as number;
    const isLong = length > maxMs / 1_000 || Element.prototype.hasAttribute.call(video, "loop");
    return isLong && !Element.prototype.hasAttribute.call(video, "controls") && isShown(video);
  });
  return [...names.values(), ...videos].map(idOf);
}
