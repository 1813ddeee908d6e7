import { near } from "../messages/near.ts";
import type { Edit, Fix } from "../repair/edits.ts";

/**
 * What is mended without asking: kinds of changes with one right answer, which the check of the changed document confirms.
 * An end tag that is missing may belong in several places, of two equal attributes each may be the one that was meant, and
 * what is deleted is lost: these are for people.
 */
export const safeKinds = {
  doctype: "the document has the doctype of HTML",
  quote: "a quote that is missing, superfluous or another sign, or the space behind it",
  reference: "a character reference without its semicolon, or with a mistyped name, or an ampersand that is none",
  "swapped end tags": "two end tags in the wrong order",
  "mistyped name": "the name of an element, an attribute or a keyword that is another one but for one letter",
} as const;

export type SafeKind = keyof typeof safeKinds;

/** The kind of a change that may be made without asking; undefined for others. */
export function safeKindOf(source: string, { kind, edits }: Pick<Fix, "kind" | "edits">): SafeKind | undefined {
  if (!areInOrder(source, edits)) return undefined;
  if (kind === "doctype" || kind === "quote" || kind === "reference") return kind;
  const replaced = edits.map(({ start, end, text }) => ({ old: source.slice(start, end), text }));
  if (kind === "end tag" && replaced.length === 1 && replaced.some(areSwapped)) return "swapped end tags";
  return kind !== "tag" && kind !== "comment" && replaced.every(isRenamed) ? "mistyped name" : undefined;
}

/** Changes that are not in the source, or overlap, are no changes of it. */
function areInOrder(source: string, edits: readonly Edit[]): boolean {
  let last = 0;
  return edits.every(({ start, end }) => {
    const fits = Number.isInteger(start) && Number.isInteger(end) && last <= start && start <= end;
    last = end;
    return fits && end <= source.length;
  });
}

type Replaced = { old: string; text: string };

function areSwapped({ old, text }: Replaced): boolean {
  const tags = /^(<\/[^<>]+>)(\s*)(<\/[^<>]+>)$/.exec(old);
  return tags !== null && text === `${tags[3]}${tags[2]}${tags[1]}`;
}

/** A name in place of one that differs by a letter; that of an end tag with its brackets. */
function isRenamed({ old, text }: Replaced): boolean {
  const [from, to] = [old, text].map((name) => /^(?:<\/([^<>\s]+)\s*>|([\w:.-]+))$/.exec(name)?.slice(1).join(""));
  return from !== undefined && to !== undefined && near(from.toLowerCase(), [to.toLowerCase()]) !== undefined;
}
