import { type Tried, tryControls } from "./controls.ts";
import { report, type Walker } from "./findings.ts";
import type { ToolsWorld } from "./tools.ts";

/** Sound that plays by itself for longer than this needs a way to stop it (WCAG 2.2, 1.4.2). */
const MAX_S = 3;
/** A page may start it by a timer. */
const ADVANCE_MS = 7_000;
/** The most findings of a page. */
const MAX_FOUND = 10;

const sayings: Readonly<Record<Tried, string>> = {
  none: "no control that says so stops it",
  pressed: "the controls that say so do not stop it",
  untried: "whether the control that says so stops it could not be tried",
};

/** An element that plays by itself, or would; `isSurelyHeard`: what was decoded of it has sound. */
type Playing = { id: number; isSurelyHeard: boolean };

/**
 * Audio and video that play by themselves with sound, and that nothing stops; controls that say so are pressed. Whether a
 * browser lets them play is up to its reader, so here they may (browser-request.ts). At the end of acting: the page's clock
 * stands still afterwards.
 */
export async function findSound(walker: Walker): Promise<void> {
  const { tab, places, limit } = walker;
  const main = await limit.command(places.main());
  if (!(await limit.command(tab.call(main.world, hasMedia)))) return;
  const playing = () => limit.command(tab.call(main.world, playingIn, MAX_S));
  const now = await playing();
  await limit.command(tab.hands.advance(ADVANCE_MS));
  const later = await playing();
  // What has just begun is not decoded yet, or only sometimes.
  const begun = later.filter(({ id }) => !now.some((one) => one.id === id));
  const heard = [...now, ...begun.map(({ id }) => ({ id, isSurelyHeard: false }))];
  if (heard.length === 0) return;
  const stopped = new Set<number>();
  const all = heard.map(({ id }) => id);
  // What has ended since plays once more, so that a control has something to stop.
  const before = () => limit.command(tab.call(main.world, playAgain, all));
  const tried = await tryControls(walker, main, "sound", before, async () => {
    for (const id of await limit.command(tab.call(main.world, silentOf, all))) stopped.add(id);
    return stopped.size === all.length;
  });
  const faults = heard.flatMap(({ id, isSurelyHeard }) => {
    if (stopped.has(id)) return [];
    const plays = isSurelyHeard ? "plays by itself" : "plays by itself, perhaps without sound,";
    const summary = `This element ${plays} for more than ${MAX_S} s, has no controls, and ${sayings[tried]}.`;
    return [{ rule: "sv-audio-control" as const, id, review: !isSurelyHeard || tried === "untried", summary }];
  });
  await report(walker, main, faults, { most: MAX_FOUND, what: "elements play" });
}

/** Runs in the page. */
function hasMedia(): boolean {
  return Document.prototype.querySelector.call(document, "audio,video") !== null;
}

/** Runs in the page. */
function playAgain(ids: readonly number[]): void {
  const { elementOf } = (globalThis as unknown as ToolsWorld).svTools;
  for (const id of ids) {
    const element = elementOf(id);
    if (!(element instanceof HTMLMediaElement)) continue;
    Reflect.set(HTMLMediaElement.prototype, "currentTime", 0, element);
    HTMLMediaElement.prototype.play.call(element).catch(() => {});
  }
}

/** Runs in the page. Those that cannot be heard any more. */
function silentOf(ids: readonly number[]): number[] {
  const { elementOf } = (globalThis as unknown as ToolsWorld).svTools;
  return ids.filter((id) => {
    const element = elementOf(id);
    const get = (name: string): unknown => Reflect.get(HTMLMediaElement.prototype, name, element);
    if (!(element instanceof HTMLMediaElement)) return true;
    return (get("paused") === true && get("ended") !== true) || get("muted") === true || get("volume") === 0;
  });
}

/** Runs in the page. */
function playingIn(maxS: number): Playing[] {
  const { idOf, rectangle, isVisible } = (globalThis as unknown as ToolsWorld).svTools;
  const all = (selector: string): Element[] => [...Document.prototype.querySelectorAll.call(document, selector)];
  const get = (element: Element, name: string): unknown => Reflect.get(HTMLMediaElement.prototype, name, element);
  const number = (element: Element, name: string): number => Number(get(element, name));
  const isShown = (element: Element): boolean => {
    const { width, height } = rectangle(element);
    return width > 4 && height > 4 && isVisible(element);
  };
  /** A part of a file may be named: `#t=2,4`. */
  const lengthOf = (element: Element): number => {
    const [, from = "0", to = "Infinity"] =
      /#t=(?:npt:)?([\d.]*)(?:,([\d.]+))?/.exec(String(get(element, "currentSrc"))) ?? [];
    return Math.min(Number(to), number(element, "duration")) - Number(from);
  };
  return all("audio,video")
    .filter((element) => {
      const isLoud = get(element, "muted") !== true && number(element, "volume") > 0;
      // It may have ended since: nobody but the page has started it. What the page itself pauses soon does not play on.
      const plays =
        get(element, "paused") !== true || get(element, "autoplay") === true || number(element, "currentTime") > maxS;
      const isLong = get(element, "loop") === true || lengthOf(element) > maxS;
      const hasControls = get(element, "controls") === true && isShown(element);
      return isLoud && plays && isLong && !hasControls && get(element, "error") === null;
    })
    .map((element) => {
      const [bytes, at] = [number(element, "webkitAudioDecodedByteCount"), number(element, "currentTime")];
      // A track of silence takes next to nothing.
      return { id: idOf(element), isSurelyHeard: bytes > 0 && (at < 0.2 || bytes / at > 800) };
    });
}
