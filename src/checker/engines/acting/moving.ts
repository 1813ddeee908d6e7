import { FLASH_AREA, judgeFlashing, MAX_FLASHES } from "../../../domain/acting/care/judge.ts";
import type { Seen } from "../../../domain/acting/care/seen.ts";
import { gifFlashes, gifTiming, movesLonger } from "../../../domain/acting/gif.ts";
import { tryControls } from "./controls.ts";
import { report, type Walker } from "./findings.ts";
import type { ToolsWorld } from "./tools.ts";

/** What moves for longer than this needs a way to pause, stop or hide it (WCAG 2.2, 2.2.2). */
const MAX_MS = 5_000;
/** How long texts are watched, by the page's clock. */
const WATCHED_MS = 7_000;
/** The most findings of a page. */
const MAX_FOUND = 10;

/**
 * What moves by itself, and texts that change by themselves, beside other content; controls that say so are pressed. Of equal
 * animations the first. At the end of acting: the page's clock stands still afterwards.
 *
 * @param before what moved before the page was used
 */
export async function findMoving(walker: Walker, before: readonly number[]): Promise<void> {
  const { tab, places, limit } = walker;
  const main = await limit.command(places.main());
  const changing = async (): Promise<number[]> => {
    // Once without looking: what acting has caused, such as a search, is over then.
    for (const _ of [1, 2]) {
      if (!(await limit.command(tab.call(main.world, watchTexts)))) return [];
      await limit.command(tab.hands.advance(WATCHED_MS));
    }
    return limit.command(tab.call(main.world, changedTexts));
  };
  let moving = before;
  const pictures = new Set((await limit.command(tab.call(main.world, gifsIn, MAX_GIFS))).map(({ id }) => id));
  let texts = await changing();
  if (moving.length + texts.length === 0) return;
  const nothing = async (): Promise<void> => {};
  const tried = await tryControls(walker, main, "motion", nothing, async () => {
    const [now, still] = [await limit.command(tab.call(main.world, movingIn, MAX_MS)), await changing()];
    const shown = (await limit.command(tab.call(main.world, gifsIn, MAX_GIFS))).map(({ id }) => id);
    moving = moving.filter((id) => now.includes(id) || (pictures.has(id) && shown.includes(id)));
    texts = texts.filter((id) => still.includes(id));
    return moving.length + texts.length === 0;
  });
  if (tried === "untried") return;
  const control = tried === "pressed" ? "the controls that say so do not stop it" : "no control that says so stops it";
  const faultOf = (what: string) => (id: number) => {
    return { rule: "sv-moving-content" as const, id, review: true, summary: `${what}, and ${control}.` };
  };
  const faults = [
    ...moving.map(faultOf(`This element moves by itself for more than ${MAX_MS / 1_000} s`)),
    ...texts.map(faultOf("The text of this element changes by itself")),
  ];
  await report(walker, main, faults, { most: MAX_FOUND, what: "elements move" });
}

type TextsWorld = ToolsWorld & { svTexts?: Map<Element, { text: string; changes: number }> };

/** Runs in the page: notes how often texts change from now on. @returns whether there is a script that may change them */
function watchTexts(): boolean {
  const world = globalThis as unknown as TextsWorld;
  const scripts = Reflect.get(Document.prototype, "scripts", document) as HTMLCollection;
  const body = Reflect.get(Document.prototype, "body", document) as Element | null;
  if (scripts.length === 0 || !body) return false;
  const isNew = world.svTexts === undefined;
  const texts: NonNullable<typeof world.svTexts> = new Map();
  world.svTexts = texts;
  if (!isNew) return true;
  const observer = new MutationObserver((records) => {
    const known = world.svTexts ?? texts;
    for (const { target } of records.slice(0, 100)) {
      const element =
        target instanceof Element ? target : (Reflect.get(Node.prototype, "parentElement", target) as Element | null);
      if (!element || known.size > 200) continue;
      const text = String(Reflect.get(Node.prototype, "textContent", element)).slice(0, 500);
      const before = known.get(element) ?? { text: "", changes: 0 };
      if (text.trim() !== "" && text !== before.text) known.set(element, { text, changes: before.changes + 1 });
    }
  });
  MutationObserver.prototype.observe.call(observer, body, { subtree: true, childList: true, characterData: true });
  return true;
}

/** Runs in the page. The elements whose text has changed again and again, and is seen; not those around them. */
function changedTexts(): number[] {
  const { svTools, svTexts = new Map() } = globalThis as unknown as TextsWorld;
  const { idOf, isVisible, attribute, rectangle, parentOf } = svTools;
  const seen = [...svTexts].flatMap(([element, { changes }]) => {
    const { width, height } = rectangle(element);
    const isSeen = width > 2 && height > 2 && isVisible(element) && attribute(element, "role") !== "timer";
    return changes > 1 && isSeen ? [element] : [];
  });
  const around = new Set(seen.map(parentOf));
  return seen.filter((element) => !around.has(element)).map(idOf);
}

/** What moves by itself now, as ids of elements; pictures that flash are told at once. */
export async function readMoving(walker: Walker): Promise<number[]> {
  const { tab, places, limit } = walker;
  const main = await limit.command(places.main());
  const pictures = await limit.command(tab.call(main.world, gifsIn, MAX_GIFS));
  const moving: number[] = [];
  const flashing: Seen["flashing"] = [];
  for (const { id, address, area } of pictures) {
    const bytes = await limit.command(bytesOf(tab, main.frameId, address));
    const timing = bytes && gifTiming(bytes);
    if (timing && movesLonger(timing, MAX_MS)) moving.push(id);
    const flashes = timing && timing.frames > 1 && area >= FLASH_AREA ? gifFlashes(bytes, MAX_FLASHES) : undefined;
    if (flashes) flashing.push({ id, perSecond: flashes.perSecond, area: flashes.share * area });
  }
  await report(walker, main, flashing.flatMap(judgeFlashing), { most: MAX_FOUND, what: "pictures flash" });
  return [...(await limit.command(tab.call(main.world, movingIn, MAX_MS))), ...moving];
}

/** The most pictures whose files are read. */
const MAX_GIFS = 10;

async function bytesOf(tab: Walker["tab"], frameId: string, address: string): Promise<Uint8Array | undefined> {
  const data = /^data:image\/gif;base64,([A-Za-z0-9+/=]+)$/.exec(address)?.[1];
  return data === undefined ? tab.hands.loaded(frameId, address) : Buffer.from(data, "base64");
}

/** Runs in the page: pictures that may move, each file once. */
function gifsIn(maxGifs: number): { id: number; address: string; area: number }[] {
  const { idOf, rectangle, isVisible } = (globalThis as unknown as ToolsWorld).svTools;
  const found = new Map<string, { id: number; area: number }>();
  for (const image of [...Document.prototype.querySelectorAll.call(document, "img")].slice(0, 500)) {
    const address = Reflect.get(HTMLImageElement.prototype, "currentSrc", image) as string;
    const { width, height } = rectangle(image);
    const isGif = /^data:image\/gif|\.gif(?:[?#]|$)/i.test(address.slice(0, 2_000));
    if (isGif && width > 8 && height > 8 && isVisible(image) && !found.has(address))
      found.set(address, { id: idOf(image), area: width * height });
  }
  return [...found].slice(0, maxGifs).map(([address, one]) => ({ address, ...one }));
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
