import type { ActingRuleName } from "./rules.ts";

type Key = "Space" | "Enter" | "ArrowRight" | "ArrowDown" | "ArrowUp";

/** The keys that a role promises (ARIA Authoring Practices 1.2), and what it means if nothing happens by them. */
export type WidgetKeys = {
  keys: readonly Key[];
  /** Each of the keys must do something; otherwise one of them. */
  all: boolean;
  rule: ActingRuleName;
  /** Whether a person has to judge it, if nothing happened by these: what one key does is operable by keyboard. */
  isReview(deaf: readonly Key[]): boolean;
  /** Only what a click does something with can be deaf. */
  ifClickable: boolean;
  /** One of several in a widget: arrows lead to the others. */
  isItem: boolean;
  says(tag: string, deaf: readonly Key[]): string;
};

const names: Readonly<Record<Key, string>> = {
  ...{ Space: "the space bar", Enter: "Enter" },
  ...{ ArrowRight: "the right arrow", ArrowDown: "the down arrow", ArrowUp: "the up arrow" },
};

const pressed = (role: string, keys: readonly Key[], rule: ActingRuleName = "sv-widget-keys"): WidgetKeys => ({
  ...{ keys, all: true, rule, ifClickable: true, isItem: false },
  isReview: (deaf) => deaf.length < keys.length,
  says: (tag, deaf) =>
    `This <${tag}> says that it is a ${role}, and nothing happened when ${deaf.map((key) => names[key]).join(" and ")} ${deaf.length > 1 ? "were" : "was"} pressed.`,
});

const moved = (role: string, keys: readonly Key[]): WidgetKeys => ({
  ...pressed(role, keys),
  ...{ all: false, ifClickable: false },
});

/** Whoever uses it does not come to the other items, unless another key does it. */
const item = (role: string): WidgetKeys => ({
  ...{ keys: ["ArrowRight", "ArrowDown"], all: false, rule: "sv-widget-keys" },
  ...{ ifClickable: false, isItem: true, isReview: () => true },
  says: (tag) =>
    `This <${tag}> is one of several of the role ${role}, Tab comes to it alone, and neither the right arrow nor the down arrow does anything.`,
});

const roles: Readonly<Record<string, WidgetKeys>> = {
  button: pressed("button", ["Space", "Enter"], "sv-button-keys"),
  checkbox: pressed("check box", ["Space"]),
  switch: pressed("switch", ["Space"]),
  link: pressed("link", ["Enter"]),
  slider: moved("slider", ["ArrowRight", "ArrowUp"]),
  spinbutton: moved("spin button", ["ArrowUp", "ArrowDown"]),
  ...Object.fromEntries(
    ["tab", "menuitem", "menuitemcheckbox", "menuitemradio", "option", "treeitem", "radio"].map((role) => [
      role,
      item(role),
    ]),
  ),
};

/** @returns undefined for roles that promise no key, or whose keys are not known */
export function keysOf(role: string): WidgetKeys | undefined {
  return Object.hasOwn(roles, role) ? roles[role] : undefined;
}
