import type { Walker } from "./findings.ts";
import type { Focus } from "./places.ts";
import { focusOn, pause, takeJumps } from "./tools.ts";

/** The most stops of the focus on a page. */
export const MAX_STOPS = 150;
/** An element may have several stops of its own, such as the parts of a date. */
const MAX_REPEATED = 15;
/** Handlers that take the focus back later than this are not waited for. */
const LATE_MS = 150;
/** A slow step: what a page does by a timer when it loses the focus has been done. */
const SLOW_MS = 50;
/** How many slow steps, besides two rounds, show that the focus goes round. */
const MIN_ROUND = 2;
/** The most elements between which a trap keeps the focus. */
const MAX_TRAP = 12;

/** How the focus went through a page. */
export type Walk = {
  stops: Focus[];
  /** At these the page wanted to go elsewhere. */
  left: Focus[];
  /** It was ended before it had seen everything. */
  isCut: boolean;
  /** Where the focus came back to. */
  trapped?: Focus;
};

/** Presses Tab until the focus has been everywhere. */
export async function walk({ tab, places, limit }: Walker): Promise<Walk> {
  const route = routeOf();
  const { world } = await limit.command(places.main());
  await limit.command(tab.call(world, takeJumps));
  tab.hands.takeLeaving();
  const left: Focus[] = [];
  while (!route.isOver()) {
    if (route.stops.length >= MAX_STOPS || limit.isOver()) return { stops: route.stops, left, isCut: true };
    await limit.command(tab.hands.press("Tab"));
    const at = await limit.command(places.focus());
    if (tab.hands.takeLeaving() > 0 && at) left.push(at);
    route.add(at);
  }
  await limit.command(tab.call(world, pause, LATE_MS));
  const [jump] = await limit.command(tab.call(world, takeJumps));
  const back = route.stops.find(({ place, id }) => place.world === world && id === jump);
  const trapped = route.cameBack() ?? back;
  return { stops: route.stops, left, isCut: false, ...(trapped && { trapped }) };
}

/** Where the focus has been, and whether it has been everywhere. */
function routeOf() {
  const stops: Focus[] = [];
  const seen = new Set<string>();
  let at: Focus | null = null;
  let repeated = 0;
  let timesLeft = 0;
  let back: Focus | undefined;
  return {
    stops,
    // Left once more: a page may have the focus in its middle when the walk begins.
    isOver: () => timesLeft > 1 || back !== undefined,
    /** Where the focus came back to without leaving the page. */
    cameBack: () => (timesLeft > 0 ? undefined : back),
    add(next: Focus | null) {
      repeated = next !== null && next.key === at?.key ? repeated + 1 : 0;
      at = next;
      if (next === null) timesLeft += 1;
      else if (repeated > MAX_REPEATED || (repeated === 0 && seen.has(next.key))) back = next;
      else if (repeated === 0) {
        seen.add(next.key);
        stops.push(next);
      }
    },
  };
}

/** Looks slowly whether the focus cannot leave a place that it came back to. @returns whether it cannot */
export async function findTrap(walker: Walker, { trapped }: Walk): Promise<boolean> {
  if (!trapped) return false;
  const { tab, places, limit, found } = walker;
  /** Where the focus is after each of some steps; ends when it has left the page. */
  const steps = async (count: number, press: () => Promise<void>): Promise<(Focus | null)[]> => {
    const went: (Focus | null)[] = [];
    while (went.length < count && went.at(-1) !== null && !limit.isOver()) {
      await limit.command(press());
      await limit.command(tab.call((await limit.command(places.main())).world, pause, SLOW_MS));
      went.push(await limit.command(places.focus()));
    }
    return went;
  };
  const forward = () => tab.hands.press("Tab");
  await limit.command(tab.call(trapped.place.world, focusOn, trapped.id));
  const round: Focus[] = [];
  const inside = new Set<string>();
  for (let sinceNew = 0; sinceNew < 2 * inside.size + MIN_ROUND; sinceNew += 1) {
    const [at] = await steps(1, forward);
    if (!at) return false;
    if (!inside.has(at.key)) sinceNew = 0;
    inside.add(at.key);
    round.push(at);
    if (inside.size > MAX_TRAP) return false;
  }
  const last = round.at(-1);
  if (!last) return false;
  const leaves = async (count: number, press: () => Promise<void>): Promise<boolean> =>
    (await steps(count, press)).some((at) => at === null || !inside.has(at.key));
  for (const key of ["Escape", "ArrowRight", "ArrowDown"] as const)
    if ((await leaves(1, () => tab.hands.press(key))) || (await leaves(inside.size + 2, forward))) return false;
  const goesBack = await leaves(inside.size + 3, () => tab.hands.press("Tab", true));
  if (limit.isOver()) return false;
  const element = await limit.command(places.describe(last.place, last.id));
  if (!element) return false;
  const isInDialog = round.every((at) => at.isInDialog);
  const elements = inside.size === 1 ? "this element" : `${inside.size} elements, of which this is one`;
  const back = goesBack ? ", but does with Shift+Tab" : ", Shift+Tab, Escape or the arrow keys";
  const summary = `The focus does not leave ${elements} with Tab${back}.`;
  // A dialog may keep the focus until it is closed, and a page may say which other key to press.
  const namesKey = await limit.command(tab.call(last.place.world, saysKey));
  found.push({ rule: "sv-keyboard-trap", review: goesBack || isInDialog || namesKey, summary, element });
  return true;
}

/** Runs in the page. Whether its text names a key, with which somebody may leave what keeps the focus. */
function saysKey(): boolean {
  const body = Reflect.get(Document.prototype, "body", document) as HTMLElement | null;
  const text = body ? (Reflect.get(HTMLElement.prototype, "innerText", body) as string) : "";
  return /\b(?:ctrl|control|strg|esc|escape|shift|alt|cmd|f\d{1,2})\b|\bpress\b[^.]{0,40}\b(?:key\b|[a-z]\b)/i.test(
    text.slice(0, 100_000),
  );
}
