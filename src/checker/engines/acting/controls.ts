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
  { tab, limit }: Walker,
  { world }: Place,
  what: keyof typeof words,
  before: () => Promise<void>,
  isDone: () => Promise<boolean>,
): Promise<Tried> {
  const { buttons, others } = await limit.command(tab.call(world, findControls, words[what], MAX_TRIED));
  for (const id of buttons) {
    await before();
    await limit.command(tab.call(world, pressControl, id));
    await limit.command(tab.hands.advance(EFFECT_MS));
    if (await isDone()) break;
  }
  return others > 0 ? "untried" : buttons.length > 0 ? "pressed" : "none";
}

/** Runs in the page: buttons, and how many other controls there are, such as sliders, or buttons beyond the most. */
function findControls(said: string, most: number): { buttons: number[]; others: number } {
  const { idOf, rectangle, isVisible, attribute, nameOf } = (globalThis as unknown as ToolsWorld).svTools;
  const pattern = new RegExp(said, "i");
  const isShown = (element: Element): boolean => {
    const { width, height } = rectangle(element);
    return width > 4 && height > 4 && isVisible(element);
  };
  const says = (element: Element): boolean =>
    ["aria-label", "title", "value"].some((name) => pattern.test(attribute(element, name))) ||
    pattern.test((Reflect.get(Node.prototype, "textContent", element) as string).slice(0, 200));
  const kinds = "button,[role=button],[role=switch],[role=slider],input[type=button],input[type=range],summary";
  const all = [...Document.prototype.querySelectorAll.call(document, kinds)].filter((one) => isShown(one) && says(one));
  const isButton = (element: Element): boolean =>
    nameOf(element) !== "summary" && attribute(element, "type") !== "range" && attribute(element, "role") !== "slider";
  // Of its form, which need not be around it.
  const submits = (element: Element): boolean =>
    element instanceof HTMLButtonElement &&
    Reflect.get(HTMLButtonElement.prototype, "type", element) === "submit" &&
    Reflect.get(HTMLButtonElement.prototype, "form", element) !== null;
  const buttons = all.filter((element) => isButton(element) && !submits(element)).slice(0, most);
  return { buttons: buttons.map(idOf), others: all.length - buttons.length };
}

/** Runs in the page. */
function pressControl(id: number): void {
  const element = (globalThis as unknown as ToolsWorld).svTools.elementOf(id);
  if (element instanceof HTMLElement) HTMLElement.prototype.click.call(element);
}
