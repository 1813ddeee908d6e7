import { escapeName } from "./escape-name.ts";

/** An element, or one of its ancestors, by properties that do not change with each build. */
export type SelectorStep = { name: string; id: string; classes: readonly string[] };

/** Characters of a selector, of one name in it, and steps: a page decides how long they would be. */
const MAX_LENGTH = 400;
const MAX_NAME = 100;
const MAX_STEPS = 40;

/** Between a step and its child. */
export const CHILD = " > ";

/**
 * The CSS selector of an element: `body > main#content > img.wide`. It has the names, ids and classes of the element
 * and as many of its nearest ancestors as fit, without positions: a muting for an element still works when another
 * one is added. Classes are sorted.
 *
 * @param steps the element, its parent and so on
 */
export function elementSelector(steps: readonly SelectorStep[]): string {
  let selector = "";
  for (const step of steps.slice(0, MAX_STEPS)) {
    const longer = selector === "" ? writeStep(step) : `${writeStep(step)}${CHILD}${selector}`;
    if (longer.length > MAX_LENGTH) return selector === "" ? writeStep({ ...step, id: "", classes: [] }) : selector;
    selector = longer;
  }
  return selector;
}

function writeStep({ name, id, classes }: SelectorStep): string {
  const usable = (text: string) => text !== "" && text.length <= MAX_NAME && !/\s/.test(text);
  const names = [...new Set(classes.filter(usable).map(escapeName))].sort();
  const element = usable(name) ? escapeName(name.toLowerCase()) : "*";
  return [element, ...(usable(id) ? [`#${escapeName(id)}`] : []), ...names.map((one) => `.${one}`)].join("");
}
