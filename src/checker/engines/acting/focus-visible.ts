import type { Walker } from "./findings.ts";
import { leaveFocus, sameStyles } from "./styles.ts";
import { focusOn, pause } from "./tools.ts";
import type { Walk } from "./walk.ts";

/** Kinds of elements that are looked at on a page. */
const MAX_KINDS = 6;
/** Until transitions have ended. */
const SETTLE_MS = 150;
/** Until a style that comes late is there: looked for only where nothing came before. */
const LATE_MS = 900;

/** Elements that look the same, to the pixel, with and without the focus. Of each kind one is looked at. */
export async function findInvisibleFocus({ tab, places, limit, found }: Walker, { stops }: Walk): Promise<void> {
  let looked = 0;
  for (const place of new Set(stops.map((stop) => stop.place)))
    for (const id of await limit.command(tab.call(place.world, sameStyles))) {
      if (looked >= MAX_KINDS) limit.cut(`more than ${MAX_KINDS} kinds of elements look the same with the focus`);
      if (looked >= MAX_KINDS || limit.isOver()) return;
      looked += 1;
      if (await showsFocus({ tab, limit }, { id, world: place.world })) continue;
      const element = await limit.command(places.describe(place, id));
      const summary = "Nothing of the page looks different when this element has the keyboard focus.";
      if (element) found.push({ rule: "sv-focus-visible", review: false, summary, element });
    }
}

/** Whether anything looks different with the focus; also by a style that comes after a delay or a transition. */
async function showsFocus(
  { tab, limit }: Pick<Walker, "tab" | "limit">,
  { id, world }: { id: number; world: number },
): Promise<boolean> {
  let without: string | undefined;
  for (const ms of [SETTLE_MS, LATE_MS]) {
    if (!(await limit.command(tab.call(world, focusOn, id)))) return true;
    await limit.command(tab.call(world, pause, ms));
    const focused = await limit.command(tab.hands.picture());
    await limit.command(tab.call(world, leaveFocus, id));
    if (without === undefined) await limit.command(tab.call(world, pause, ms));
    without ??= await limit.command(tab.hands.picture());
    if (without !== focused) return true;
  }
  return false;
}
