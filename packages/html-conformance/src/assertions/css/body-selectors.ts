import { generate, parse, type SelectorList, walk } from "css-tree";
import { compile } from "./selector-match.ts";
import type { Test } from "./selector-test.ts";

export type Selector = { text: string; line: number; column: number; matches: Test };

const MAX_LENGTH = 100_000;
const MAX_SELECTORS = 500;

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
