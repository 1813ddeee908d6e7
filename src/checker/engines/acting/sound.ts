import { report, type Walker } from "./findings.ts";
import type { ToolsWorld } from "./tools.ts";

/** Sound that plays by itself for longer than this needs a way to stop it (WCAG 2.2, 1.4.2). */
const MAX_S = 3;
/** A page may start it by a timer. */
const ADVANCE_MS = 7_000;
/** The most findings of a page. */
const MAX_FOUND = 10;

/** An element that plays by itself, or would; `isSurelyHeard`: what was decoded of it has sound. */
type Playing = { id: number; isSurelyHeard: boolean };

/**
 * Audio and video that play by themselves with sound, and that nothing stops. Whether a browser lets them is up to its reader,
 * so here they may (browser-request.ts). The last of acting: the page's clock stands still afterwards.
 */
export async function findSound(walker: Walker): Promise<void> {
  const { tab, places, limit } = walker;
  const main = await limit.command(places.main());
  if (!(await limit.command(tab.call(main.world, hasMedia)))) return;
  const now = await limit.command(tab.call(main.world, playingIn, MAX_S));
  await limit.command(tab.hands.advance(ADVANCE_MS));
  const later = await limit.command(tab.call(main.world, playingIn, MAX_S));
  // What has just begun is not decoded yet, or only sometimes.
  const begun = later.filter(({ id }) => !now.some((one) => one.id === id));
  const playing = [...now, ...begun.map(({ id }) => ({ id, isSurelyHeard: false }))];
  const faults = playing.map(({ id, isSurelyHeard }) => {
    const heard = isSurelyHeard ? "plays by itself" : "plays by itself, perhaps without sound,";
    const summary = `This element ${heard} for more than ${MAX_S} s, has no controls, and no control that says so stops it.`;
    return { rule: "sv-audio-control" as const, id, review: !isSurelyHeard, summary };
  });
  await report(walker, main, faults, { most: MAX_FOUND, what: "elements play" });
}

/** Runs in the page. */
function hasMedia(): boolean {
  return Document.prototype.querySelector.call(document, "audio,video") !== null;
}

/** Runs in the page. */
function playingIn(maxS: number): Playing[] {
  const { idOf, rectangle, isVisible, attribute } = (globalThis as unknown as ToolsWorld).svTools;
  const all = (selector: string): Element[] => [...Document.prototype.querySelectorAll.call(document, selector)];
  const get = (element: Element, name: string): unknown => Reflect.get(HTMLMediaElement.prototype, name, element);
  const number = (element: Element, name: string): number => Number(get(element, name));
  const isShown = (element: Element): boolean => {
    const { width, height } = rectangle(element);
    return width > 4 && height > 4 && isVisible(element);
  };
  const stops =
    /\b(?:pause|stop|mute|volume|sound|audio|quiet|silence|anhalten|stumm|couper|pausa|silenci|detener|detén|ferma)|\b(?:ton|son)\b/i;
  const textOf = (element: Element): string => Reflect.get(Node.prototype, "textContent", element) as string;
  const says = (element: Element): string =>
    `${attribute(element, "aria-label")} ${attribute(element, "title")} ${attribute(element, "value")} ${textOf(element)}`;
  const controls = "button,[role=button],[role=switch],[role=slider],input[type=button],input[type=range],summary";
  if (all(controls).some((one) => isShown(one) && stops.test(says(one)))) return [];
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
