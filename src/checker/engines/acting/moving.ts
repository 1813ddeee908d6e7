import { report, type Walker } from "./findings.ts";
import type { ToolsWorld } from "./tools.ts";

/** What moves for longer than this needs a way to pause, stop or hide it (WCAG 2.2, 2.2.2). */
const MAX_MS = 5_000;
/** The most findings of a page. */
const MAX_FOUND = 10;

/** What moves by itself, beside other content, and has no control that says it stops. Of equal animations the first. */
export async function findMoving(walker: Walker): Promise<void> {
  const { tab, places, limit } = walker;
  const main = await limit.command(places.main());
  const ids = await limit.command(tab.call(main.world, movingIn, MAX_MS));
  const summary = `This element moves by itself for more than ${MAX_MS / 1_000} s, and no control that says so stops it.`;
  const faults = ids.map((id) => ({ rule: "sv-moving-content" as const, id, review: true, summary }));
  await report(walker, main, faults, { most: MAX_FOUND, what: "elements move" });
}

/** Runs in the page. */
function movingIn(maxMs: number): number[] {
  const { idOf, rectangle, isVisible, nameOf, attribute } = (globalThis as unknown as ToolsWorld).svTools;
  const all = (selector: string): Element[] => [...Document.prototype.querySelectorAll.call(document, selector)];
  const isShown = (element: Element): boolean => {
    const { width, height } = rectangle(element);
    return width > 4 && height > 4 && isVisible(element);
  };
  const stops = /pause|stop|halt|freeze|hide|anhalten|ausblenden|arrêt|masquer|pausa|deten|ferma|nascondi/i;
  const textOf = (element: Element): string => Reflect.get(Node.prototype, "textContent", element) as string;
  const says = (element: Element): string =>
    `${attribute(element, "aria-label")} ${attribute(element, "title")} ${attribute(element, "value")} ${textOf(element)}`;
  if (all("button,[role=button],input[type=button],summary").some((one) => isShown(one) && stops.test(says(one))))
    return [];
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
