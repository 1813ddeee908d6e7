import { short } from "./care/seen.ts";
import type { ActingRuleName } from "./rules.ts";

/** What came to be seen behind a press, a pointer or the focus. */
export type Appeared = {
  id: number;
  text: string;
  numControls: number;
  /** It was there before, with this text, and hidden. */
  wasHidden: boolean;
  /** It is announced: it is in a live region, or is one. */
  isLive: boolean;
  /** It, or something around or in it, says that it is a dialog. */
  isDialog: boolean;
  /** It lies over the page, and takes a large part of the window. */
  covers: boolean;
  /** The focus is in it. */
  hasFocus: boolean;
};

/** A button before and after it was pressed: the values of what tells its state, and its text. */
export type ButtonState = { states: Readonly<Record<string, string>>; name: string };

/** Something about a button, or about what it shows. */
export type PressFault = { rule: ActingRuleName; about: "button" | "shown"; review: true; summary: string };

/** Longer texts are no messages. */
const MAX_MESSAGE = 160;

/**
 * What has to be asked about a button, by what came when it was pressed.
 *
 * @param toggles whether that went when it was pressed once more: what only shows something, for good, has no state
 */
export function judgePressed(
  before: ButtonState,
  after: ButtonState,
  appeared: readonly Appeared[],
  toggles: boolean,
): PressFault[] {
  const [first] = appeared.filter(({ isDialog }) => !isDialog);
  if (!first) return [];
  const fault = (rule: ActingRuleName, about: PressFault["about"], summary: string): PressFault[] => [
    { rule, about, review: true, summary },
  ];
  const [button, shown] = [short(before.name), short(first.text)];
  if (first.covers && first.numControls > 0)
    return fault(
      "sv-button-state",
      "shown",
      `What "${button}" opens lies over the page ("${shown}"), and has no role of a dialog.`,
    );
  if (isMessage(first))
    return first.isLive || first.hasFocus || appeared.some(({ isLive }) => isLive)
      ? []
      : fault(
          "sv-status-message",
          "shown",
          `"${shown}" came when "${button}" was pressed, and no role=status, role=alert or aria-live announces it.`,
        );
  // "Show the map" that becomes "Hide the map" tells its state by its name.
  if (!first.wasHidden || before.name !== after.name || first.hasFocus) return [];
  const { "aria-expanded": expanded = "" } = before.states;
  if (expanded !== "" && after.states["aria-expanded"] === expanded)
    return fault(
      "sv-button-state",
      "button",
      `"${button}" has shown "${shown}", and its aria-expanded stays "${expanded}".`,
    );
  const isTold = Object.values(before.states).some((value) => value !== "");
  return isTold || !toggles
    ? []
    : fault(
        "sv-button-state",
        "button",
        `"${button}" has shown "${shown}", and nothing of it, such as aria-expanded, tells whether that is open.`,
      );
}

/** A short text that is new; signs alone, as those of a list's pages, tell nothing. */
export function isMessage({ text, numControls, wasHidden, covers }: Appeared): boolean {
  return !wasHidden && !covers && numControls === 0 && text.length <= MAX_MESSAGE && /[\p{L}\p{N}]/u.test(text);
}
