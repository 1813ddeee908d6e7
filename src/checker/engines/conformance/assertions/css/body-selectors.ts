import { type CssNode, generate, parse, type SelectorList, walk } from "css-tree";
import { type OpenElement, tokens, value } from "../open-element.ts";

export type Selector = { text: string; line: number; column: number; matches(open: OpenElement): boolean };

const MAX_LENGTH = 100_000;
const MAX_SELECTORS = 500;
/** Whether these hold, only a browser knows: they may. */
const MAY_HOLD = new Set(
  (
    "active any-link autofill checked default disabled enabled focus focus-visible focus-within hover indeterminate " +
    "in-range invalid link open optional out-of-range placeholder-shown read-only read-write required target user-invalid " +
    "user-valid valid visited fullscreen modal popover-open"
  ).split(" "),
);

/** Looks at one element; undefined where the selector has a part that is not understood. */
type Test = (open: OpenElement) => boolean;

/** The selectors of the rules of a style sheet that can be compared with elements. */
export function selectorsOf(css: string): Selector[] {
  if (css.length > MAX_LENGTH) return [];
  const found: Selector[] = [];
  try {
    walk(parse(css, { positions: true, parseValue: false, onParseError: () => {} }), {
      visit: "Rule",
      enter(rule) {
        if (this.rule || this.atrule?.name === "scope" || this.atrule?.name.endsWith("keyframes")) return;
        if (rule.prelude.type !== "SelectorList") return;
        for (const selector of (rule.prelude as SelectorList).children) {
          const matches = found.length < MAX_SELECTORS ? compile(selector) : undefined;
          const start = selector.loc?.start;
          if (matches)
            found.push({ text: generate(selector), line: start?.line ?? 1, column: start?.column ?? 1, matches });
        }
      },
    });
  } catch {
    return [];
  }
  return found;
}

/** A compound selector, with what joins it to the one before it. */
type Step = { tests: Test[]; combinator: string | undefined };

function compile(selector: CssNode): Test | undefined {
  if (selector.type !== "Selector") return undefined;
  const steps: Step[] = [{ tests: [], combinator: undefined }];
  for (const part of selector.children) {
    if (part.type === "Combinator") {
      if (part.name !== " " && part.name !== ">") return undefined;
      steps.push({ tests: [], combinator: part.name });
      continue;
    }
    const test = testOf(part);
    if (!test) return undefined;
    steps.at(-1)?.tests.push(test);
  }
  return (open) => matchesFrom(steps, open);
}

/** The last step is for the element itself; those before it for elements around it. */
function matchesFrom(steps: readonly Step[], element: OpenElement): boolean {
  let open: OpenElement | undefined = element;
  for (let i = steps.length - 1; i >= 0; i--) {
    const step = steps[i];
    const isNearest = i === steps.length - 1 || steps[i + 1]?.combinator === ">";
    while (open && !step?.tests.every((test) => open && test(open))) {
      if (isNearest) return false;
      open = open.parent;
    }
    if (!open) return false;
    if (i > 0) open = open.parent;
  }
  return true;
}

function testOf(part: CssNode): Test | undefined {
  switch (part.type) {
    case "TypeSelector": {
      const name = part.name.toLowerCase().replace(/^\*\|/, "");
      if (name.includes("|")) return undefined;
      return name === "*" ? () => true : (open) => open.element.tagName.toLowerCase() === name;
    }
    case "ClassSelector":
      return (open) => tokens(value(open, "class") ?? "").includes(part.name);
    case "IdSelector":
      return (open) => open.id === part.name;
    case "AttributeSelector": {
      if (part.matcher) return undefined;
      return (open) => value(open, part.name.name.toLowerCase()) !== undefined;
    }
    case "PseudoClassSelector":
      if (part.name.toLowerCase() === "root") return (open) => open.parent === undefined;
      return MAY_HOLD.has(part.name.toLowerCase()) && !part.children ? () => true : undefined;
    case "PseudoElementSelector":
      return part.children ? undefined : () => true;
    default:
      return undefined;
  }
}
