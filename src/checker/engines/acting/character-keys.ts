import { report, type Walker } from "./findings.ts";
import type { ToolsWorld } from "./tools.ts";

/** Letters, digits and signs that somebody may type, or say to a program that listens. */
const KEYS = "abcdefghijklmnopqrstuvwxyz0123456789+-*/?.,;!";

/** Single characters to which the page does something although no field has the focus. All of them: it only listens. */
export async function findCharacterKeys(walker: Walker): Promise<void> {
  const { tab, places, limit } = walker;
  const main = await limit.command(places.main());
  tab.hands.takeLeaving();
  const { body, keys } = await limit.command(tab.call(main.world, tryKeys, KEYS));
  const leaves = tab.hands.takeLeaving() > 0;
  if ((keys.length === 0 && !leaves) || keys.length > KEYS.length / 2) return;
  const named = keys
    .slice(0, 5)
    .map((key) => `"${key}"`)
    .join(", ");
  const more = keys.length > 5 ? ` and ${keys.length - 5} more` : "";
  const what = keys.length === 0 ? "a single character" : `${named}${more}`;
  const summary = `The page ${leaves ? "goes elsewhere" : "does something"} when ${what} is typed where no field is.`;
  const fault = { rule: "sv-character-keys" as const, id: body, review: true, summary };
  await report(walker, main, [fault], { most: 1, what: "findings" });
}

/** Runs in the page: types each key where no field is. @returns those that changed something, or were taken */
function tryKeys(all: string): { body: number; keys: string[] } {
  const { active, idOf, watchChanges } = (globalThis as unknown as ToolsWorld).svTools;
  const before = active();
  if (before instanceof HTMLElement) HTMLElement.prototype.blur.call(before);
  const body = Reflect.get(Document.prototype, "body", document) as HTMLElement | null;
  if (!body) return { body: 0, keys: [] };
  const changes = watchChanges();
  const keys = [...all].filter((key) => {
    changes.take();
    const [focused, x, y] = [active(), scrollX, scrollY];
    const upper = key.toUpperCase();
    const code = /[a-z]/.test(key) ? `Key${upper}` : /\d/.test(key) ? `Digit${key}` : "";
    const taken = (["keydown", "keypress", "keyup"] as const).filter((type) => {
      const number = type === "keypress" ? key.charCodeAt(0) : upper.charCodeAt(0);
      const init = { key, code, keyCode: number, which: number, charCode: type === "keypress" ? number : 0 };
      const event = new KeyboardEvent(type, { ...init, bubbles: true, cancelable: true, composed: true });
      return !EventTarget.prototype.dispatchEvent.call(body, event);
    });
    const isMoved = active() !== focused || scrollX !== x || scrollY !== y;
    return taken.length > 0 || isMoved || changes.take();
  });
  changes.end();
  return { body: idOf(body), keys };
}
