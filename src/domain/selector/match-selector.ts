import { CHILD } from "./element-selector.ts";

/** How many elements' selectors are remembered with their results: the pages of a site share most of them. */
const MAX_REMEMBERED = 5_000;

/**
 * Finds which of many selectors select an element.
 *
 * @param selectors `steps` as `readSelector` writes them, and what to find
 * @returns a function of the selector of an element (`elementSelector`)
 */
export function selectorIndex<Found>(
  selectors: readonly { steps: string; found: Found }[],
): (selector: string) => ReadonlySet<Found> {
  const alternatives = selectors.flatMap(({ steps, found }) =>
    steps.split(", ").map((text) => ({ steps: readAlternative(text), found })),
  );
  // By a part that the element must have, which rules out most selectors.
  const byPart = Map.groupBy(alternatives, ({ steps }) => steps.at(-1)?.parts.at(-1) ?? "");
  const remembered = new Map<string, ReadonlySet<Found>>();
  return (selector) => {
    const known = remembered.get(selector);
    if (known) return known;
    const elements = selector.split(CHILD).map(partsOf);
    const possible = ["", ...(elements.at(-1) ?? [])].flatMap((part) => byPart.get(part) ?? []);
    const found = new Set(possible.filter(({ steps }) => matches(steps, elements)).map((one) => one.found));
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(selector, found);
    return found;
  };
}

/** `isChild`: a child of the step before; otherwise anywhere inside it. */
type Step = { parts: string[]; isChild: boolean };

function readAlternative(text: string): Step[] {
  const steps: Step[] = [];
  let isChild = false;
  for (const word of text.split(" ")) {
    if (word !== ">") steps.push({ parts: [...partsOf(word)], isChild });
    isChild = word === ">";
  }
  return steps;
}

/** `div#a.b` as `div`, `#a` and `.b`; nothing for `*`. */
function partsOf(step: string): Set<string> {
  return new Set((step.match(/[.#]?(?:\\.|[^\\.#])+/g) ?? []).filter((part) => part !== "*"));
}

function hasParts(element: ReadonlySet<string>, parts: readonly string[]): boolean {
  return parts.every((part) => element.has(part));
}

/** Compares each step with each element at most once, whatever the selector is. */
function matches(steps: readonly Step[], elements: readonly ReadonlySet<string>[]): boolean {
  const subject = elements.at(-1);
  if (!subject || !hasParts(subject, steps.at(-1)?.parts ?? [])) return false;
  // Elements at which the steps so far may end.
  let ends = elements.map(() => false);
  for (const [index, { parts, isChild }] of steps.entries()) {
    let isInside = false;
    ends = elements.map((element, place) => {
      const parent = place > 0 && ends[place - 1] === true;
      isInside ||= parent;
      const isThere = index === 0 || (isChild ? parent : isInside);
      return isThere && hasParts(element, parts);
    });
  }
  return ends.at(-1) === true;
}

/** The same for PostgreSQL: a regular expression whose time grows only with the selector's length. */
export function selectorPattern(steps: string): string {
  const alternatives = steps.split(", ").map((text) =>
    readAlternative(text)
      .map(
        ({ parts, isChild }, index) =>
          `${index === 0 ? "" : isChild ? CHILD : `${CHILD}(?:${ANY}${CHILD})*`}${stepPattern(parts)}`,
      )
      .join(""),
  );
  return `(?:^|${CHILD})(?:${alternatives.join("|")})$`;
}

const NAME = "(?:[^\\\\ .#>]|\\\\.)+";
const ANY = "(?:[^\\\\ >]|\\\\.)+";

/** Works because classes are sorted in both. */
function stepPattern(parts: readonly string[]): string {
  const [name = NAME] = parts.filter((part) => !/^[.#]/.test(part)).map(literal);
  const ids = parts.filter((part) => part.startsWith("#")).map(literal);
  // No element has two ids.
  if (ids.length > 1) return "$.";
  const others = `(?:\\.${NAME})*`;
  const classes = parts.filter((part) => part.startsWith(".")).sort();
  const inOrder = classes.map((one) => `${others}${literal(one)}`).join("");
  return `${name}${ids[0] ?? `(?:#${NAME})?`}${inOrder}${others}`;
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
