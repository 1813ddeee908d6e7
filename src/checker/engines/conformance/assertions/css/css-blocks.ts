import { tokenize, tokenTypes } from "css-tree";
import type { CssProblem } from "./css-problem.ts";

/** At-rules whose blocks contain rules. */
const GROUPS = new Set(
  "media supports layer container scope starting-style document keyframes font-feature-values".split(" "),
);

/** A style rule with blocks inside of its own: css-tree does not know all of what may nest there. */
export type Nesting = { start: number; end: number };

type Block = { start: number; hasRules: boolean; nests: boolean };

/** Goes over the blocks of a style sheet, or of declarations. */
export function blocksOf(css: string, isSheet: boolean): { nesting: Nesting[]; unclosed: CssProblem | undefined } {
  const nesting: Nesting[] = [];
  const open: Block[] = [];
  let isAllNested = false;
  let start = 0;
  let atRule: string | undefined;
  const begin = (at: number) => {
    start = at;
    atRule = undefined;
  };
  const close = (end: number) => {
    const block = open.pop();
    if (block?.nests) nesting.push({ start: block.start, end });
  };
  tokenize(css, (type, from, to) => {
    if (type === tokenTypes.AtKeyword) atRule ??= nameOf(css.slice(from + 1, to));
    else if (type === tokenTypes.Semicolon) begin(to);
    else if (type === tokenTypes.LeftCurlyBracket) {
      const around = open.at(-1);
      const isInRule = around ? !around.hasRules : !isSheet;
      const outer = open.find((block) => !block.hasRules);
      if (isInRule && outer) outer.nests = true;
      else if (isInRule) isAllNested = true;
      open.push({ start, hasRules: !isInRule && atRule !== undefined && GROUPS.has(atRule), nests: false });
      begin(to);
    } else if (type === tokenTypes.RightCurlyBracket) {
      close(to);
      begin(to);
    }
  });
  const unclosed = open.at(-1) && isSheet ? unclosedBlock(css) : undefined;
  while (open.length > 0) close(css.length);
  return { nesting: isAllNested ? [{ start: 0, end: css.length }] : nesting, unclosed };
}

function nameOf(atRule: string): string {
  return atRule.toLowerCase().replace(/^-\w+-/, "");
}

/** A sheet that ends before its blocks do. The end may close the last rule; it is a fault where that is empty. */
function unclosedBlock(css: string): CssProblem | undefined {
  const text = css.trimEnd();
  if (!text.endsWith("{") && !text.endsWith("}")) return undefined;
  const lines = text.split("\n");
  return {
    rule: "css/syntax",
    message: 'a "}" is missing at the end.',
    line: lines.length,
    column: lines.at(-1)?.length ?? 1,
  };
}
