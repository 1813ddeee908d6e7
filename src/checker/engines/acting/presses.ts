import { short } from "../../../domain/acting/care/seen.ts";
import { type Appeared, type ButtonState, isMessage, judgePressed } from "../../../domain/acting/pressed.ts";
import { namesChange } from "../../../domain/acts/acts.ts";
import { type Fault, report, type Walker } from "./findings.ts";
import type { Place } from "./places.ts";
import { markShown, stillShown, takeAppeared } from "./shown.ts";
import { focusOn, pause, type ToolsWorld } from "./tools.ts";
import type { Walk } from "./walk.ts";

/** The most buttons that are pressed, of which these first that say what they open; and stops of the focus in a dialog. */
const MAX_OPENED = 6;
const MAX_STOPS = 12;
/** How long a dialog has to open, and to take the focus; and to close. */
const OPEN_MS = 350;
const CLOSE_MS = 250;

/** How long a message must stay at least, by the page's clock (WCAG 2.2, 2.2.1 has no number: it is for a person to judge). */
const MESSAGE_MS = 5_000;
const MAX_MESSAGES = 3;

const RULE = "sv-dialog-focus" as const;

/**
 * Presses, by keyboard, buttons that say that they open something, and other buttons outside of forms where nobody is signed in.
 * Of a dialog: whether the focus goes into it, stays there, reaches the button that closes it, leaves it by Escape and comes back.
 * Of all else that comes to be seen: whether role and state tell it, or it is announced. Nothing is pressed whose name has a verb
 * of change.
 *
 * @returns the buttons by which a message came
 */
export async function findPressFaults(walker: Walker, { stops }: Walk): Promise<number[]> {
  const { tab, places, limit, opensOnly } = walker;
  const main = await limit.command(places.main());
  const ids = stops.filter(({ place }) => place.world === main.world).map(({ id }) => id);
  const openers = (await limit.command(tab.call(main.world, readOpeners, ids)))
    .filter(({ names, says }) => (says || !opensOnly) && !names.some(namesChange))
    .toSorted((a, b) => Number(b.says) - Number(a.says));
  if (openers.length > MAX_OPENED) limit.cut(`more than ${MAX_OPENED} buttons that may open something`);
  const messages: number[] = [];
  const faults: Fault[] = [];
  for (const { id } of openers.slice(0, MAX_OPENED)) {
    if (limit.isOver() || !(await limit.command(tab.call(main.world, focusOn, id)))) continue;
    const before = await limit.command(tab.call(main.world, shownDialogs));
    await limit.command(tab.call(main.world, markShown));
    const state = await limit.command(tab.call(main.world, readState, id));
    await limit.command(tab.hands.press("Enter"));
    await limit.command(tab.call(main.world, pause, OPEN_MS));
    const opened = (await limit.command(tab.call(main.world, shownDialogs))).find((one) => !before.includes(one));
    if (opened === undefined) {
      const appeared = await limit.command(tab.call(main.world, takeAppeared));
      const after = await limit.command(tab.call(main.world, readState, id));
      const toggles = await closes(walker, main, { id, appeared });
      const [shown] = appeared.filter(({ isDialog }) => !isDialog);
      for (const { about, ...fault } of judgePressed(state, after, appeared, toggles))
        faults.push({ ...fault, id: about === "button" ? id : (shown?.id ?? id) });
      if (appeared.some(isMessage)) messages.push(id);
      continue;
    }
    faults.push(...(await useDialog(walker, main, { opener: id, dialog: opened })));
    // What does not close covers the rest of the page.
    if ((await limit.command(tab.call(main.world, shownDialogs))).includes(opened)) break;
  }
  await report(walker, main, faults, { most: 2 * MAX_OPENED, what: "faults of what buttons open" });
  return messages;
}

/**
 * Presses buttons by which a message came once more, and lets time pass: the page's clock stands still afterwards.
 *
 * @param openers as `findPressFaults` returned them
 */
export async function findVanishing(walker: Walker, openers: readonly number[]): Promise<void> {
  const { tab, places, limit } = walker;
  const main = await limit.command(places.main());
  const faults: Fault[] = [];
  for (const id of openers.slice(0, MAX_MESSAGES)) {
    // What it has said before is over then.
    await limit.command(tab.hands.advance(MESSAGE_MS));
    await limit.command(tab.call(main.world, markShown));
    await limit.command(tab.call(main.world, clickOn, id));
    await limit.command(tab.hands.advance(OPEN_MS));
    const came = (await limit.command(tab.call(main.world, takeAppeared))).filter(isMessage);
    await limit.command(tab.hands.advance(MESSAGE_MS));
    const left = await limit.command(tab.call(main.world, stillShown, ...came.map((one) => one.id)));
    const gone = came.find((one) => !left.includes(one.id));
    if (!gone) continue;
    const summary = `"${short(gone.text)}" came when this was pressed, and was gone within ${MESSAGE_MS / 1_000} s.`;
    faults.push({ rule: "sv-message-time", id, review: true, summary });
  }
  await report(walker, main, faults, { most: MAX_MESSAGES, what: "messages that go" });
}

/** Runs in the page. */
function clickOn(id: number): void {
  const element = (globalThis as unknown as ToolsWorld).svTools.elementOf(id);
  if (element instanceof HTMLElement) HTMLElement.prototype.click.call(element);
}

/** Runs in the page. */
function readState(id: number): ButtonState {
  const { elementOf, attribute } = (globalThis as unknown as ToolsWorld).svTools;
  const element = elementOf(id);
  const states = ["aria-expanded", "aria-haspopup", "aria-pressed", "aria-selected", "aria-checked", "popovertarget"];
  const text = element ? String(Reflect.get(Node.prototype, "textContent", element)) : "";
  return {
    states: Object.fromEntries(states.map((name) => [name, element ? attribute(element, name) : ""])),
    name: ((element && attribute(element, "aria-label")) || text).replace(/\s+/g, " ").trim().slice(0, 200),
  };
}

/** Closes what was opened, for what is looked at behind it. @returns whether a second press did it */
async function closes(
  { tab, limit }: Walker,
  { world }: Place,
  { id, appeared }: { id: number; appeared: readonly Appeared[] },
): Promise<boolean> {
  if (appeared.some(({ covers }) => covers)) {
    await limit.command(tab.hands.press("Escape"));
    return false;
  }
  const opened = appeared.filter(({ wasHidden }) => wasHidden).map((one) => one.id);
  if (opened.length === 0 || !(await limit.command(tab.call(world, focusOn, id)))) return false;
  await limit.command(tab.hands.press("Enter"));
  await limit.command(tab.call(world, pause, CLOSE_MS));
  return (await limit.command(tab.call(world, stillShown, ...opened))).length === 0;
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
  let hasLeft = false;
  for (let steps = 0; steps < MAX_STOPS && first.hasFocus && !limit.isOver(); steps += 1) {
    await limit.command(tab.hands.press("Tab"));
    const at = await look();
    reached ||= at.onClose;
    // The browser's own controls come behind the last of a page.
    hasLeft = !at.hasFocus && at.isFocusElsewhere;
    if (!at.hasFocus || at.isFirst) break;
  }
  if (hasLeft && first.isModal)
    faults.push({
      rule: RULE,
      id: dialog,
      review: true,
      summary: "Tab leads out of this modal dialog to the page behind it.",
    });
  const isClosable = !first.hasFocus || !first.hasClose || reached;
  if (hasLeft) await limit.command(tab.call(world, focusInto, dialog));
  await limit.command(tab.hands.press("Escape"));
  await limit.command(tab.call(world, pause, CLOSE_MS));
  const last = await look();
  if (!isClosable)
    faults.push({
      ...{ rule: RULE, id: dialog, review: !last.isShown },
      summary: `Tab does not come to what closes this dialog${last.isShown ? ", and Escape does not close it" : ": only Escape does"}.`,
    });
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
function readOpeners(ids: readonly number[]): { id: number; names: string[]; says: boolean }[] {
  const { elementOf, nameOf, attribute, namesOf, submits, parentOf } = (globalThis as unknown as ToolsWorld).svTools;
  return ids.flatMap((id) => {
    const element = elementOf(id);
    if (!element || !/^(?:button|a|div|span|summary)$/.test(nameOf(element))) return [];
    const popup = attribute(element, "aria-haspopup");
    const says =
      /^(?:dialog|true)$/.test(popup) ||
      ["popovertarget", "commandfor", "aria-controls"].some((name) => attribute(element, name) !== "");
    // A link that leads elsewhere opens nothing here.
    const leads = nameOf(element) === "a" && !/^(?:#|$)/.test(attribute(element, "href"));
    if (submits(element) || leads) return [];
    const isButton = nameOf(element) === "button" || attribute(element, "role") === "button";
    let isInForm = false;
    for (let at: Element | null = element; at && !isInForm; at = parentOf(at)) isInForm = nameOf(at) === "form";
    return says || (isButton && !isInForm) ? [{ id, names: namesOf(element), says }] : [];
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

type SeenDialog = {
  isShown: boolean;
  isModal: boolean;
  hasFocus: boolean;
  /** Something else of the page has the focus. */
  isFocusElsewhere: boolean;
  /** The first of its controls has the focus. */
  isFirst: boolean;
  hasClose: boolean;
  onClose: boolean;
};

/** Runs in the page. */
function readDialog(id: number): SeenDialog {
  const { elementOf, active, attribute, isVisible, parentOf, nameOf } = (globalThis as unknown as ToolsWorld).svTools;
  const dialog = elementOf(id);
  const nothing: SeenDialog = {
    ...{ isShown: false, isModal: false, hasFocus: false, isFocusElsewhere: false, isFirst: false },
    ...{ hasClose: false, onClose: false },
  };
  if (!dialog || !isVisible(dialog)) return nothing;
  const CLOSES =
    /^(?:close|cancel|dismiss|ok|done|×|✕|x|schließen|abbrechen|fermer|annuler|cerrar|cancelar|chiudi|annulla|sluiten)\b|^[×✕✖]$/i;
  const nameText = (one: Element): string =>
    (attribute(one, "aria-label") || String(Reflect.get(Node.prototype, "textContent", one))).trim().slice(0, 60);
  const controls = [
    ...Element.prototype.querySelectorAll.call(dialog, "button,[role=button],a[href],input,[onclick],[tabindex]"),
  ];
  // What closes it may be made of anything that somebody points at.
  const others = [...Element.prototype.querySelectorAll.call(dialog, "span,div,svg,i,img")].filter(
    (one) => getComputedStyle(one).cursor === "pointer",
  );
  const closing = [...controls, ...others].filter((one) => isVisible(one) && CLOSES.test(nameText(one)));
  const focused = active();
  let at: Element | null = focused;
  while (at && at !== dialog) at = parentOf(at);
  return {
    isShown: true,
    isModal:
      attribute(dialog, "aria-modal") === "true" ||
      (nameOf(dialog) === "dialog" && Element.prototype.matches.call(dialog, ":modal")),
    hasFocus: focused !== null && at === dialog,
    isFocusElsewhere: focused !== null && at !== dialog,
    isFirst: focused !== null && focused === controls.find(isVisible),
    hasClose: closing.length > 0,
    onClose: focused !== null && closing.includes(focused),
  };
}

/** Runs in the page: gives the focus back to a dialog that has lost it. */
function focusInto(id: number): void {
  const dialog = (globalThis as unknown as ToolsWorld).svTools.elementOf(id);
  const first = dialog && Element.prototype.querySelector.call(dialog, "button,a[href],input,[tabindex]");
  if (first instanceof HTMLElement) HTMLElement.prototype.focus.call(first);
}

/** Runs in the page. */
function isFocusThere(): boolean {
  return (globalThis as unknown as ToolsWorld).svTools.active() !== null;
}
