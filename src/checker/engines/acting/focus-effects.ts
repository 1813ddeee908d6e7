import { report, type Walker } from "./findings.ts";
import type { Focus } from "./places.ts";
import { focusOn, pause, type ToolsWorld } from "./tools.ts";
import type { Walk } from "./walk.ts";

/** The most findings of a rule on a page. */
const MAX_FOUND = 10;
/** The most places that are looked at again, and controls that are changed. */
const MAX_TRIED = 5;
/** Until what a page does by a timer has begun. */
const SETTLE_MS = 60;

/** Stops that something else hides, as the walk saw them. */
export async function findHiddenFocus(walker: Walker, { stops }: Walk): Promise<void> {
  const summary = "Content that stays in its place in the window hides this element when it has the keyboard focus.";
  await reportOf(
    walker,
    "sv-focus-hidden",
    stops.filter(({ isHidden }) => isHidden),
    true,
    summary,
  );
}

/** Places at which the page goes elsewhere as soon as they have the focus: whenever they get it, and not by itself. */
export async function findFocusThatLeaves(walker: Walker, { left }: Walk): Promise<void> {
  const sure: Focus[] = [];
  for (const at of left.slice(0, MAX_TRIED)) if (await leavesBy(walker, at, async () => {})) sure.push(at);
  const summary = "The page goes elsewhere, or opens a window, when this element gets the keyboard focus.";
  await reportOf(walker, "sv-focus-context", sure, false, summary);
}

/** Controls at which the page goes elsewhere when something is chosen or typed. It may have said so before, which a person sees. */
export async function findInputThatLeaves(walker: Walker, { stops, left }: Walk): Promise<void> {
  const { tab, limit } = walker;
  const found: Focus[] = [];
  let tried = 0;
  for (const at of stops) {
    if (limit.isOver()) return;
    const how = at.input;
    if (how === null || left.includes(at)) continue;
    if (tried >= MAX_TRIED) limit.cut(`more than ${MAX_TRIED} controls that take input`);
    if (tried >= MAX_TRIED) break;
    tried += 1;
    const type = () => tab.call(at.place.world, typeInto, at.id);
    if (await leavesBy(walker, at, () => (how === "text" ? type() : tab.hands.press(how)))) found.push(at);
  }
  const summary = "The page goes elsewhere, or opens a window, when something is chosen or typed in this element.";
  await reportOf(walker, "sv-input-context", found, true, summary);
}

/** Whether the page wants to go elsewhere when an element has the focus and something is done, and does not before. */
async function leavesBy({ tab, limit }: Walker, { place, id }: Focus, act: () => Promise<void>): Promise<boolean> {
  await limit.command(tab.call(place.world, leaveAll));
  await limit.command(tab.call(place.world, pause, SETTLE_MS));
  tab.hands.takeLeaving();
  await limit.command(tab.call(place.world, pause, SETTLE_MS));
  if (tab.hands.takeLeaving() > 0) return false;
  await limit.command(tab.call(place.world, focusOn, id));
  await limit.command(act());
  await limit.command(tab.call(place.world, pause, SETTLE_MS));
  return tab.hands.takeLeaving() > 0;
}

async function reportOf(
  walker: Walker,
  rule: "sv-focus-hidden" | "sv-focus-context" | "sv-input-context",
  found: readonly Focus[],
  review: boolean,
  summary: string,
): Promise<void> {
  for (const [place, some] of Map.groupBy(found, (one) => one.place)) {
    const faults = some.map(({ id }) => ({ rule, id, review, summary }));
    await report(walker, place, faults, { most: MAX_FOUND, what: `findings of ${rule}` });
  }
}

/** Runs in the page: gives a field a text, as somebody does who types one character. */
function typeInto(id: number): void {
  const element = (globalThis as unknown as ToolsWorld).svTools.elementOf(id);
  const prototype = element instanceof HTMLTextAreaElement ? HTMLTextAreaElement.prototype : HTMLInputElement.prototype;
  if (!element) return;
  Reflect.set(prototype, "value", "1", element);
  for (const type of ["keydown", "keyup"])
    EventTarget.prototype.dispatchEvent.call(
      element,
      new KeyboardEvent(type, { key: "1", code: "Digit1", bubbles: true }),
    );
  for (const type of ["input", "change"])
    EventTarget.prototype.dispatchEvent.call(element, new Event(type, { bubbles: true }));
}

/** Runs in the page. */
function leaveAll(): void {
  const element = (globalThis as unknown as ToolsWorld).svTools.active();
  if (element instanceof HTMLElement) HTMLElement.prototype.blur.call(element);
}
