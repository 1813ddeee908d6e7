import { namesChange } from "../../../domain/acts/acts.ts";
import { type Fault, report, type Walker } from "./findings.ts";
import type { Place } from "./places.ts";
import { focusOn, pause, type ToolsWorld } from "./tools.ts";
import type { Walk } from "./walk.ts";

/** The most dialogs that are opened, and stops of the focus in one. */
const MAX_OPENED = 3;
const MAX_STOPS = 12;
/** How long a dialog has to open, and to take the focus; and to close. */
const OPEN_MS = 350;
const CLOSE_MS = 250;

const RULE = "sv-dialog-focus" as const;

/**
 * Opens, by keyboard, what says that it opens a dialog, and looks whether the focus goes into it, reaches the button that
 * closes it, leaves it by Escape and comes back. Nothing is opened whose name has a verb of change.
 */
export async function findDialogFaults(walker: Walker, { stops }: Walk): Promise<void> {
  const { tab, places, limit } = walker;
  const main = await limit.command(places.main());
  const ids = stops.filter(({ place }) => place.world === main.world).map(({ id }) => id);
  const openers = (await limit.command(tab.call(main.world, readOpeners, ids))).filter(
    ({ names }) => !names.some(namesChange),
  );
  if (openers.length > MAX_OPENED) limit.cut(`more than ${MAX_OPENED} buttons that say that they open something`);
  const faults: Fault[] = [];
  for (const { id } of openers.slice(0, MAX_OPENED)) {
    if (limit.isOver() || !(await limit.command(tab.call(main.world, focusOn, id)))) continue;
    const before = await limit.command(tab.call(main.world, shownDialogs));
    await limit.command(tab.hands.press("Enter"));
    await limit.command(tab.call(main.world, pause, OPEN_MS));
    const opened = (await limit.command(tab.call(main.world, shownDialogs))).find((one) => !before.includes(one));
    if (opened === undefined) continue;
    faults.push(...(await useDialog(walker, main, { opener: id, dialog: opened })));
    // What does not close covers the rest of the page.
    if ((await limit.command(tab.call(main.world, shownDialogs))).includes(opened)) break;
  }
  await report(walker, main, faults, { most: 2 * MAX_OPENED, what: "faults of dialogs" });
}

async function useDialog(
  { tab, limit }: Walker,
  { world }: Place,
  { opener, dialog }: { opener: number; dialog: number },
): Promise<Fault[]> {
  const faults: Fault[] = [];
  const look = () => limit.command(tab.call(world, readDialog, dialog));
  const first = await look();
  if (!first.hasFocus)
    faults.push({
      ...{ rule: RULE, id: dialog, review: !first.isModal },
      summary: "The focus stayed on the page behind when this dialog was opened by the keyboard.",
    });
  let reached = first.onClose;
  for (let steps = 0; steps < MAX_STOPS && !reached && first.hasFocus && !limit.isOver(); steps += 1) {
    await limit.command(tab.hands.press("Tab"));
    const at = await look();
    if (!at.hasFocus) break;
    reached = at.onClose;
  }
  if (first.hasFocus && first.hasClose && !reached)
    faults.push({
      rule: RULE,
      id: dialog,
      review: true,
      summary: "Tab does not come to the button that closes this dialog.",
    });
  await limit.command(tab.hands.press("Escape"));
  await limit.command(tab.call(world, pause, CLOSE_MS));
  const last = await look();
  if (last.isShown) {
    faults.push({ rule: RULE, id: dialog, review: true, summary: "Escape does not close this dialog." });
    return faults;
  }
  if (first.hasFocus && !(await limit.command(tab.call(world, isFocusThere))))
    faults.push({
      rule: RULE,
      id: opener,
      review: true,
      summary: "When the dialog that this opens is closed, the focus is nowhere.",
    });
  return faults;
}

/** Runs in the page: what says that it opens something, and is no part of a form. */
function readOpeners(ids: readonly number[]): { id: number; names: string[] }[] {
  const { elementOf, nameOf, attribute, namesOf, submits } = (globalThis as unknown as ToolsWorld).svTools;
  return ids.flatMap((id) => {
    const element = elementOf(id);
    if (!element || !/^(?:button|a|div|span|summary)$/.test(nameOf(element))) return [];
    const popup = attribute(element, "aria-haspopup");
    const says =
      /^(?:dialog|true)$/.test(popup) ||
      ["popovertarget", "commandfor", "aria-controls"].some((name) => attribute(element, name) !== "");
    // A link that leads elsewhere opens nothing here.
    const leads = nameOf(element) === "a" && !/^(?:#|$)/.test(attribute(element, "href"));
    return says && !submits(element) && !leads ? [{ id, names: namesOf(element) }] : [];
  });
}

/** Runs in the page. */
function shownDialogs(): number[] {
  const { idOf, isVisible, rectangle } = (globalThis as unknown as ToolsWorld).svTools;
  const all = Document.prototype.querySelectorAll.call(
    document,
    "dialog,[role=dialog],[role=alertdialog],[aria-modal=true]",
  );
  return [...all].filter((one) => isVisible(one) && rectangle(one).width > 4 && rectangle(one).height > 4).map(idOf);
}

type SeenDialog = { isShown: boolean; isModal: boolean; hasFocus: boolean; hasClose: boolean; onClose: boolean };

/** Runs in the page. */
function readDialog(id: number): SeenDialog {
  const { elementOf, active, attribute, isVisible, parentOf, nameOf } = (globalThis as unknown as ToolsWorld).svTools;
  const dialog = elementOf(id);
  const nothing = { isShown: false, isModal: false, hasFocus: false, hasClose: false, onClose: false };
  if (!dialog || !isVisible(dialog)) return nothing;
  const CLOSES =
    /^(?:close|cancel|dismiss|ok|done|×|✕|x|schließen|abbrechen|fermer|annuler|cerrar|cancelar|chiudi|annulla|sluiten)\b|^[×✕✖]$/i;
  const nameText = (one: Element): string =>
    (attribute(one, "aria-label") || String(Reflect.get(Node.prototype, "textContent", one))).trim().slice(0, 60);
  const controls = [...Element.prototype.querySelectorAll.call(dialog, "button,[role=button],a[href],[onclick]")];
  const closing = controls.filter((one) => isVisible(one) && CLOSES.test(nameText(one)));
  const focused = active();
  let at: Element | null = focused;
  while (at && at !== dialog) at = parentOf(at);
  return {
    isShown: true,
    isModal:
      attribute(dialog, "aria-modal") === "true" ||
      (nameOf(dialog) === "dialog" && Element.prototype.matches.call(dialog, ":modal")),
    hasFocus: focused !== null && at === dialog,
    hasClose: closing.length > 0,
    onClose: focused !== null && closing.includes(focused),
  };
}

/** Runs in the page. */
function isFocusThere(): boolean {
  return (globalThis as unknown as ToolsWorld).svTools.active() !== null;
}
