import { type Block, type Blocks, isGroup } from "./css-blocks.ts";

/** A part of a style sheet that css-tree can read, at its offset in the whole. */
export type Piece = { text: string; offset: number; context: "stylesheet" | "declarationList" };

const COMBINATOR = /^(\s*)[>+~]/;

/**
 * Takes nested rules out of the rules around them: each becomes a piece of its own, and spaces take its place.
 *
 * @see https://drafts.csswg.org/css-nesting/
 */
export function piecesOf(css: string, { nesting }: Blocks, context: Piece["context"]): Piece[] {
  const waiting = nesting.flatMap(({ nested }) => nested);
  const pieces: Piece[] = [{ text: without(css, waiting), offset: 0, context }];
  for (const block of waiting) {
    pieces.push(...piecesOfNested(css, block));
    for (const inner of block.nested) waiting.push(inner);
  }
  return pieces;
}

function piecesOfNested(css: string, block: Block): Piece[] {
  const { start, open, end, atRule, nested } = block;
  const inside = end > open + 1 && css[end - 1] === "}" ? end - 1 : end;
  const head = css.slice(start, open + 1);
  if (atRule !== undefined && !isGroup(block))
    return [{ text: css.slice(start, end), offset: start, context: "stylesheet" }];
  if (atRule !== undefined)
    return [{ text: `${head}}`, offset: start, context: "stylesheet" }, ...declarations(css, open + 1, inside, nested)];
  // A selector that is relative to that of the rule around it.
  const to = nested[0]?.start ?? inside;
  const text = `${head.replace(COMBINATOR, "$1 ")}${css.slice(open + 1, to)}}`;
  return [{ text, offset: start, context: "stylesheet" }, ...declarations(css, to, inside, nested)];
}

/** The declarations between blocks. They are not read with what they are in: blocks may be nested deep. */
function declarations(css: string, from: number, to: number, blocks: readonly Block[]): Piece[] {
  const pieces: Piece[] = [];
  let at = from;
  for (const { start, end } of [...blocks, { start: to, end: to }]) {
    const text = css.slice(at, start);
    if (/\S/.test(text)) pieces.push({ text, offset: at, context: "declarationList" });
    at = end;
  }
  return pieces;
}

/** The CSS with white space where the blocks are: what follows keeps its place. */
function without(css: string, blocks: readonly Block[]): string {
  let text = "";
  let at = 0;
  for (const { start, end } of blocks) {
    text += css.slice(at, start) + css.slice(start, end).replace(/[^\n\r\f]/g, " ");
    at = end;
  }
  return text + css.slice(at);
}
