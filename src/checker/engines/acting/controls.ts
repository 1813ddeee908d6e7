import { namesChange } from "../../../domain/acts/acts.ts";
import type { Walker } from "./findings.ts";
import type { Place } from "./places.ts";
import type { ToolsWorld } from "./tools.ts";

/** The controls that are tried, and how long each has until what it does is done, by the page's clock. */
const MAX_TRIED = 4;
const EFFECT_MS = 500;

/** What a control says that stops sound, or what moves. */
const words = {
  sound:
    "\\b(?:pause|stop|mute|volume|sound|audio|quiet|silence|anhalten|stumm|couper|pausa|silenci|detener|detén|ferma)|\\b(?:ton|son)\\b",
  motion: "pause|stop|halt|freeze|hide|anhalten|ausblenden|arrêt|masquer|pausa|deten|ferma|nascondi",
};

/** How a control of that kind is there: none, only such as cannot be tried, or some that were pressed. */
export type Tried = "none" | "untried" | "pressed";

/**
 * Presses the controls that say that they stop something, one after the other, until something is as it should be. For
 * the end of acting: the page's clock stands still afterwards.
 *
 * @param before is done before each
 */
export async function tryControls(
  { tab, limit, opensOnly }: Walker,
  { world }: Place,
  what: keyof typeof words,
  before: () => Promise<void>,
  isDone: () => Promise<boolean>,
): Promise<Tried> {
  const found = await limit.command(tab.call(world, findControls, words[what]));
  const isTried = ({ opens, names }: FoundControl): boolean => !opensOnly || (opens && !names.some(namesChange));
  const buttons = found.buttons.filter(isTried).slice(0, MAX_TRIED);
  const others = found.others + found.buttons.length - buttons.length;
  for (const { id } of buttons) {
    await before();
    await limit.command(tab.call(world, pressControl, id));
    await limit.command(tab.hands.advance(EFFECT_MS));
    if (await isDone()) break;
  }
  return others > 0 ? "untried" : buttons.length > 0 ? "pressed" : "none";
}

/** A button, whether it declares that it opens something, and what it is called. */
type FoundControl = { id: number; opens: boolean; names: string[] };

/** Runs in the page: buttons, and how many other controls there are, such as sliders. */
function findControls(said: string): { buttons: FoundControl[]; others: number } {
  const { idOf, rectangle, isVisible, attribute, nameOf, namesOf, opens, submits } = (
    globalThis as unknown as ToolsWorld
  ).svTools;
  const pattern = new RegExp(said, "i");
  const isShown = (element: Element): boolean => {
    const { width, height } = rectangle(element);
    return width > 4 && height > 4 && isVisible(element);
  };
  const says = (element: Element): boolean => namesOf(element).some((name) => pattern.test(name));
  const kinds = "button,[role=button],[role=switch],[role=slider],input[type=button],input[type=range],summary";
  const all = [...Document.prototype.querySelectorAll.call(document, kinds)].filter((one) => isShown(one) && says(one));
  const isButton = (element: Element): boolean =>
    nameOf(element) !== "summary" && attribute(element, "type") !== "range" && attribute(element, "role") !== "slider";
  const buttons = all.filter((element) => isButton(element) && !submits(element));
  return {
    buttons: buttons.slice(0, 100).map((one) => ({ id: idOf(one), opens: opens(one), names: namesOf(one) })),
    others: all.length - buttons.length,
  };
}

/** Runs in the page. */
function pressControl(id: number): void {
  const element = (globalThis as unknown as ToolsWorld).svTools.elementOf(id);
  if (element instanceof HTMLElement) HTMLElement.prototype.click.call(element);
}
