import type { Token } from "parse5";
import { findFormatting, removeFormatting } from "./active-formatting.ts";
import {
  type Construction,
  copyOf,
  detach,
  fail,
  insertNodeAt,
  isExhausted,
  noteMove,
  popFrom,
} from "./construction.ts";
import { isSpecial, type OpenElement } from "./open-elements.ts";

const MAX_ROUNDS = 8;
/** Formatting elements further out than this are dropped. */
const MAX_COPIES = 3;

/**
 * Closes a formatting element although others may be open in it: they are split or moved.
 * Returns false where the token is to be treated as any other end tag.
 *
 * @see HTML Standard, 13.2.6.4.7, "adoption agency algorithm"
 */
export function adopt(p: Construction, token: Token.TagToken): boolean {
  const { tagName: name } = token;
  const { open, formatting } = p;
  const current = open.current();
  if (current?.key === name && !formatting.includes(current)) {
    popFrom(p, current.index);
    return true;
  }
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const entry = findFormatting(formatting, name);
    if (!entry) return false;
    if (entry.index < 0) {
      fail(p, "stray-end-tag", token, name);
      removeFormatting(formatting, entry);
      return true;
    }
    if (entry.index < open.nearest("scope")) {
      fail(p, "stray-end-tag", token, name);
      return true;
    }
    if (entry !== open.current() && round === 0) fail(p, "end-tag-violates-nesting", token, name);
    const block = furthestBlock(p, entry);
    if (!block) {
      popFrom(p, entry.index);
      removeFormatting(formatting, entry);
      return true;
    }
    noteMove(p);
    split(p, entry, block);
  }
  return true;
}

/** The first special element inside a formatting element. */
function furthestBlock(p: Construction, entry: OpenElement): OpenElement | undefined {
  if (isExhausted(p)) return undefined;
  const { items } = p.open;
  for (let i = entry.index + 1; i < items.length; i++) {
    p.work += 1;
    const found = items[i] as OpenElement;
    if (isSpecial(found.key)) return found;
  }
  return undefined;
}

function split(p: Construction, formattingEntry: OpenElement, block: OpenElement): void {
  const { open, formatting } = p;
  const ancestor = open.items[formattingEntry.index - 1] as OpenElement;
  let bookmark = formatting.indexOf(formattingEntry);
  let last = block;
  let copies = 0;
  p.work += open.rebuild(formattingEntry.index, (above) => {
    const end = above.indexOf(block);
    const kept: OpenElement[] = [];
    for (let i = end - 1; i > 0; i--) {
      copies += 1;
      const node = above[i] as OpenElement;
      const listed = formatting.lastIndexOf(node);
      if (listed < 0) continue;
      if (copies > MAX_COPIES) {
        formatting.splice(listed, 1);
        if (listed < bookmark) bookmark -= 1;
        continue;
      }
      const copy = copyOf(node);
      formatting[listed] = copy;
      if (last === block) bookmark = listed + 1;
      detach(last.element);
      copy.element.childNodes.push(last.element);
      last.element.parentNode = copy.element;
      last = copy;
      kept.unshift(copy);
    }
    const renewed = copyOf(formattingEntry);
    above.splice(0, end + 1, ...kept, block, renewed);
    const old = formatting.indexOf(formattingEntry);
    formatting.splice(bookmark, 0, renewed);
    formatting.splice(old < bookmark ? old : old + 1, 1);
    renewedChildren(block, renewed);
    p.work += renewed.element.childNodes.length;
  });
  insertNodeAt(p, last.element, ancestor);
}

/** All children of the block move to the new formatting element, which becomes its only child. */
function renewedChildren({ element: block }: OpenElement, { element: renewed }: OpenElement): void {
  renewed.childNodes = block.childNodes;
  for (const child of renewed.childNodes) child.parentNode = renewed;
  block.childNodes = [renewed];
  renewed.parentNode = block;
}
