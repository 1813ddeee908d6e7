import { type CssNode, parse, walk } from "css-tree";
import type { Block } from "./css-blocks.ts";
import type { CssProblem } from "./css-problem.ts";
import { type Problem, problemOf, queryProblem } from "./css-rules.ts";
import { DESCRIPTIVE, FREE } from "./css-tables.ts";

/** White space and comments. */
const LEADING = /(?:\s|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/)*/y;
const NAME = /^@([^\s("'{;/]+)/;

export type Place = Pick<CssProblem, "line" | "column">;
type Reader = {
  add: (problem: Problem, at: Place) => void;
  /** Takes errors of syntax in declarations; it may throw to end the work. */
  addError: (message: string, at: Place & { offset: number }) => void;
  /** How many pieces may still be read: each has its cost, however short it is. */
  budget: { pieces: number };
};

/** A selector without anything that could be wrong in it. */
const PLAIN = /^[\w\s.#&>+~*,-]*$/;

/**
 * What is wrong in style rules that contain rules. css-tree reads the selectors and the declarations between blocks
 * piece by piece; the pieces do not overlap.
 *
 * @throws RangeError when no more pieces may be read
 * @see CSS Nesting Module Level 1, 2 Nesting other at-rules, and CSS Syntax Module Level 3, 5.4.4
 */
export function nestedProblems(css: string, blocks: readonly Block[], { add, addError, budget }: Reader): void {
  const places = createPlaces(css);

  const read = (from: number, to: number, context: "declarationList" | "selectorList"): void => {
    const text = css.slice(from, to);
    const isDeclarations = context === "declarationList";
    if (isDeclarations ? text.trim() === "" : PLAIN.test(text)) return;
    if (budget.pieces-- <= 0) throw new RangeError("Too many pieces.");
    const tree = parse(text, {
      context,
      positions: true,
      parseCustomProperty: false,
      offset: from,
      ...places(from),
      onParseError: (error) => {
        const at = error as unknown as Place & { offset: number };
        if (isDeclarations) addError(error.message, at);
      },
    });
    walk(tree, (node: CssNode) => {
      const problem = problemOf(node, undefined);
      if (problem && node.loc) add(problem, node.loc.start);
    });
  };

  const judge = (block: Block): void => {
    const { start, open, end, atRule, children } = block;
    if (atRule === undefined) read(start, open, "selectorList");
    else if (!judgeAtRule(block, atRule)) return;
    let from = open + 1;
    for (const child of children) {
      read(from, child.start, "declarationList");
      judge(child);
      from = child.end + 1;
    }
    read(from, end, "declarationList");
  };

  /** @returns whether there are declarations and style rules in it */
  const judgeAtRule = ({ start, open }: Block, atRule: string): boolean => {
    LEADING.lastIndex = start;
    LEADING.exec(css);
    const at = LEADING.lastIndex;
    const name = NAME.exec(css.slice(at, open))?.[1] ?? atRule;
    const problem =
      atRule === "media"
        ? queryProblem(css.slice(at + 1 + name.length, open))
        : problemOf({ type: "Atrule", name, prelude: null, block: null }, undefined);
    if (problem) add(problem, places(at));
    return !name.startsWith("-") && problem?.rule !== "css/at-rule" && !DESCRIPTIVE.has(atRule) && !FREE.has(atRule);
  };

  for (const block of blocks) judge(block);
}

/** The line and column of ascending offsets, both from 1. */
function createPlaces(css: string): (offset: number) => Place {
  let line = 1;
  let lineStart = 0;
  return (offset) => {
    for (let next = css.indexOf("\n", lineStart); next >= 0 && next < offset; next = css.indexOf("\n", lineStart)) {
      line++;
      lineStart = next + 1;
    }
    return { line, column: offset - lineStart + 1 };
  };
}
