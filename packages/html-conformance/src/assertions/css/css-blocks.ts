import { tokenize, tokenTypes } from "css-tree";
import type { CssProblem } from "./css-problem.ts";

/** At-rules whose blocks contain rules. */
const GROUPS = new Set(
  "media supports layer container scope starting-style document keyframes font-feature-values".split(" "),
);
/** At-rules that ask for what a browser may not know. */
const CONDITIONAL = new Set("supports container media when else function mixin apply contents".split(" "));
/** A custom property, whose value may be anything in braces. */
const CUSTOM_PROPERTY = /^(?:\s|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/)*--[^\s:;{}]*\s*:/;

/** A block with what stands before it; offsets in the CSS. */
export type Block = {
  /** Where the selector or the at-rule begins. */
  start: number;
  /** Where its brace opens, and where it closes. */
  open: number;
  end: number;
  /** The name of the at-rule, in lower case and without a browser's prefix. */
  atRule: string | undefined;
  /** It contains rules, and not declarations. */
  hasRules: boolean;
  children: Block[];
};

export type Blocks = {
  /** Style rules with blocks inside of their own. css-tree does not know all of what may nest there. */
  nesting: Block[];
  /** Where declarations, which have no rules, have a block all the same: the place of its brace. */
  nestedAt: number | undefined;
  /** What at-rules ask a browser for, which may be unknown: `@supports (display: masonry)`. From and to. */
  conditions: (readonly [from: number, to: number])[];
  unclosed: CssProblem | undefined;
};

/** Goes over the blocks of a style sheet, or of declarations. */
export function blocksOf(css: string, isSheet: boolean): Blocks {
  const nesting: Block[] = [];
  const open: Block[] = [];
  const conditions: [number, number][] = [];
  let nestedAt: number | undefined;
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
    const around = open.at(-1);
    if (around) {
      if (!around.hasRules && !isValue(css, block)) around.children.push(block);
    } else if (!isSheet && !isValue(css, block)) nestedAt ??= block.open;
    const isOutermost = !block.hasRules && open.every(({ hasRules }) => hasRules) && isSheet;
    if (isOutermost && block.children.length > 0) nesting.push(block);
  };
  let last = { type: -1, from: 0 };
  tokenize(css, (type, from, to) => {
    last = { type, from };
    if (type === tokenTypes.AtKeyword) atRule ??= nameOf(css.slice(from + 1, to));
    else if (type === tokenTypes.Semicolon) begin(to);
    else if (type === tokenTypes.LeftCurlyBracket) {
      const around = open.at(-1);
      const isInRule = around ? !around.hasRules : !isSheet;
      const hasRules = !isInRule && atRule !== undefined && GROUPS.has(atRule);
      if (atRule !== undefined && CONDITIONAL.has(atRule)) conditions.push([start, from]);
      open.push({ start, open: from, end: css.length, atRule, hasRules, children: [] });
      begin(to);
    } else if (type === tokenTypes.RightCurlyBracket) {
      close(from);
      begin(to);
    }
  });
  const unclosed = unclosedToken(css, last) ?? (open[0] && isSheet ? unclosedBlock(css, open[0]) : undefined);
  while (open.length > 0) close(css.length);
  return { nesting, nestedAt, conditions, unclosed };
}

function isValue(css: string, { start, open }: Block): boolean {
  return CUSTOM_PROPERTY.test(css.slice(start, open));
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

/** A sheet that ends before its blocks do. @see https://drafts.csswg.org/css-syntax/#consume-simple-block */
function unclosedBlock(css: string, { open }: Block): CssProblem {
  const lines = css.slice(0, open).split(/\r\n|[\n\r\f]/);
  return {
    rule: "css/syntax",
    message: 'the "}" is missing that closes this "{".',
    line: lines.length,
    column: (lines.at(-1)?.length ?? 0) + 1,
  };
}
