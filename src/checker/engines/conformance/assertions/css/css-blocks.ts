import { tokenize, tokenTypes } from "css-tree";
import type { CssProblem } from "./css-problem.ts";

/** At-rules whose blocks contain rules. */
const GROUPS = new Set(
  "media supports layer container scope starting-style document keyframes font-feature-values".split(" "),
);
/** A block as the value of a custom property. */
const CUSTOM_PROPERTY = /^\s*--[^\s:{};]*\s*:/;
/** A custom property's name is not looked for in more than this. */
const MAX_NAME = 200;

/** A block with what is before it; offsets in the CSS. */
export type Block = {
  /** Of the selector or at-keyword. */
  start: number;
  /** Of the "{". */
  open: number;
  /** After the "}", or the end of the CSS. */
  end: number;
  /** Whether rules are in it, or declarations, among which rules may be nested. */
  hasRules: boolean;
  /** The at-rule's name in lower case, without a browser's prefix. */
  atRule: string | undefined;
  /** Blocks that are nested in a style rule, or in a block in one: css-tree does not know all of what may be there. */
  nested: Block[];
};

export type Blocks = {
  /** The outermost blocks with declarations in which others are nested. */
  nesting: Block[];
  unclosed: CssProblem | undefined;
};

/** Goes over the blocks of a style sheet, or of declarations. */
export function blocksOf(css: string, isSheet: boolean): Blocks {
  const nesting: Block[] = [];
  /** Declarations of an attribute are in no block; it is as if they were. */
  const root: Block = { start: 0, open: -1, end: css.length, hasRules: false, atRule: undefined, nested: [] };
  const open: Block[] = isSheet ? [] : [root];
  let start = 0;
  let atRule: string | undefined;
  const begin = (at: number) => {
    start = at;
    atRule = undefined;
  };
  const close = (end: number) => {
    const block = open.pop();
    if (!block) return;
    block.end = end;
    const isOutermost = !block.hasRules && (open.at(-1)?.hasRules ?? true);
    if (isOutermost && block.nested.length > 0) nesting.push(block);
  };
  let last = { type: -1, from: 0 };
  tokenize(css, (type, from, to) => {
    last = { type, from };
    if (type === tokenTypes.AtKeyword) atRule ??= nameOf(css.slice(from + 1, to));
    else if (type === tokenTypes.Semicolon) begin(to);
    else if (type === tokenTypes.LeftCurlyBracket) {
      const around = open.at(-1);
      const isInRule = around !== undefined && !around.hasRules;
      const hasRules = !isInRule && atRule !== undefined && GROUPS.has(atRule);
      const block: Block = { start, open: from, end: css.length, hasRules, atRule, nested: [] };
      if (around && isInRule && !CUSTOM_PROPERTY.test(css.slice(start, Math.min(from, start + MAX_NAME))))
        around.nested.push(block);
      open.push(block);
      begin(to);
    } else if (type === tokenTypes.RightCurlyBracket) {
      if (open.at(-1) !== root) close(to);
      begin(to);
    }
  });
  const unclosed = unclosedToken(css, last) ?? (open.at(-1) && isSheet ? unclosedBlock(css) : undefined);
  while (open.length > 0) close(css.length);
  return { nesting, unclosed };
}

/** Whether rules and declarations may be in a block of this at-rule where it is nested. */
export function isGroup({ atRule }: Block): boolean {
  return atRule !== undefined && GROUPS.has(atRule);
}

function nameOf(atRule: string): string {
  return atRule.toLowerCase().replace(/^-\w+-/, "");
}

/** A comment or a string that goes on to the end. @see https://drafts.csswg.org/css-syntax/#consume-comment */
function unclosedToken(css: string, { type, from }: { type: number; from: number }): CssProblem | undefined {
  const text = css.slice(from);
  const isComment = type === tokenTypes.Comment && (text.length < 4 || !text.endsWith("*/"));
  const isString = type === tokenTypes.String && (text.length < 2 || text.at(-1) !== text[0]);
  if (!isComment && !isString) return undefined;
  const lines = css.slice(0, from).split(/\r\n|[\n\r\f]/);
  const message = isComment ? "a comment is not closed." : "a string is not closed.";
  return { rule: "css/syntax", message, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
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
