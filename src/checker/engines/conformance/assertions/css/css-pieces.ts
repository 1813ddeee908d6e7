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
  const outer = without(
    css,
    0,
    css.length,
    nesting.flatMap(({ nested }) => nested),
  );
  const pieces: Piece[] = [{ text: outer, offset: 0, context }];
  const waiting = nesting.flatMap(({ nested }) => nested);
  for (const block of waiting) {
    pieces.push(...piecesOfNested(css, block));
    waiting.push(...block.nested);
  }
  return pieces;
}

function piecesOfNested(css: string, block: Block): Piece[] {
  const { start, open, end, atRule, nested } = block;
  if (atRule === undefined) {
    // A selector that is relative to that of the rule around it.
    const text = without(css, start, end, nested).replace(COMBINATOR, "$1 ");
    return [{ text, offset: start, context: "stylesheet" }];
  }
  if (!isGroup(block)) return [{ text: css.slice(start, end), offset: start, context: "stylesheet" }];
  const inside = end > open + 1 && css[end - 1] === "}" ? end - 1 : end;
  return [
    { text: `${css.slice(start, open)}{}`, offset: start, context: "stylesheet" },
    { text: without(css, open + 1, inside, nested), offset: open + 1, context: "declarationList" },
  ];
}

/** A part of the CSS, with white space where blocks are. */
function without(css: string, from: number, to: number, blocks: readonly Block[]): string {
  let text = "";
  let at = from;
  for (const { start, end } of blocks) {
    text += css.slice(at, start) + css.slice(start, end).replace(/[^\n\r\f]/g, " ");
    at = end;
  }
  return text + css.slice(at, to);
}
