import { namesChange } from "../../../domain/acts/acts.ts";
import { type Fault, report, type Walker } from "./findings.ts";
import { focusOn, pause, type ToolsWorld } from "./tools.ts";
import type { Walk } from "./walk.ts";

/** The most buttons that are pressed, and findings of a page. */
const MAX_PRESSED = 8;
/** How long a page has to react: an answer may have to come first. */
const EFFECT_MS = 250;
/** The most clickable elements that are looked at. */
const MAX_CLICKABLE = 500;

/**
 * What says that it is a button, is none, and that the space bar does not press, though a click does something. Pressed is
 * nothing that is named by a verb of change and, where somebody is signed in, only what says that it opens something.
 */
export async function findDeafButtons(walker: Walker, { stops }: Walk): Promise<void> {
  const { tab, places, limit, opensOnly } = walker;
  const main = await limit.command(places.main());
  const ids = stops.filter(({ place }) => place.world === main.world).map(({ id }) => id);
  const buttons = await limit.command(tab.call(main.world, readButtons, ids));
  const tried = buttons.filter(({ opens, names }) => (opens || !opensOnly) && !names.some(namesChange));
  if (tried.length === 0) return;
  if (tried.length > MAX_PRESSED) limit.cut(`more than ${MAX_PRESSED} buttons that are made of other elements`);
  const clickable = new Set(await limit.command(tab.hands.callOnClickable(main.world, idsOf, MAX_CLICKABLE)));
  const faults: Fault[] = [];
  for (const { id, tag } of tried.slice(0, MAX_PRESSED)) {
    // Of what does nothing when it is clicked, nothing can be said.
    if (limit.isOver() || !clickable.has(id) || !(await limit.command(tab.call(main.world, focusOn, id)))) continue;
    await limit.command(tab.call(main.world, watchKey));
    await limit.command(tab.hands.press("Space"));
    await limit.command(tab.call(main.world, pause, EFFECT_MS));
    if (await limit.command(tab.call(main.world, takeReaction))) continue;
    const summary = `This <${tag}> says that it is a button, and nothing happened when the space bar was pressed.`;
    faults.push({ rule: "sv-button-keys", id, review: false, summary });
  }
  await report(walker, main, faults, { most: MAX_PRESSED, what: "buttons are not pressed by the space bar" });
}

type FoundButton = { id: number; tag: string; names: string[]; opens: boolean };

/** Runs in the page. */
function readButtons(ids: readonly number[]): FoundButton[] {
  const { elementOf, nameOf, attribute, namesOf, opens } = (globalThis as unknown as ToolsWorld).svTools;
  return ids.flatMap((id): FoundButton[] => {
    const element = elementOf(id);
    if (!element || attribute(element, "role").trim() !== "button") return [];
    const tag = nameOf(element);
    if (/^(?:button|input|summary|select|textarea)$/.test(tag) || attribute(element, "aria-disabled") === "true")
      return [];
    return [{ id, tag, names: namesOf(element), opens: opens(element) }];
  });
}

/** Runs in the page. */
function idsOf(...elements: Element[]): number[] {
  return elements.map((globalThis as unknown as ToolsWorld).svTools.idOf);
}

type KeyWorld = ToolsWorld & { svKey?: { take(): boolean } };

/** Runs in the page: whether the next key is heard, by a click, a handler that prevents what the browser does, or a change. */
function watchKey(): void {
  const world = globalThis as unknown as KeyWorld;
  const changes = world.svTools.watchChanges();
  const heard = { reacted: false };
  const onKey = (event: Event): void => {
    setTimeout(() => {
      heard.reacted ||= event.defaultPrevented;
    });
  };
  const onClick = (): void => {
    heard.reacted = true;
  };
  const before = world.svTools.active();
  for (const name of ["keydown", "keyup"]) addEventListener(name, onKey, true);
  addEventListener("click", onClick, true);
  world.svKey = {
    take: () => {
      for (const name of ["keydown", "keyup"]) removeEventListener(name, onKey, true);
      removeEventListener("click", onClick, true);
      const changed = changes.take();
      changes.end();
      return heard.reacted || changed || world.svTools.active() !== before;
    },
  };
}

/** Runs in the page. */
function takeReaction(): boolean {
  return (globalThis as unknown as KeyWorld).svKey?.take() ?? true;
}
