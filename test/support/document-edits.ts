import { type Document, type Element, isElement } from "html-conformance/tree";
import { parse, parseFragment, serialize } from "parse5";
import { describeElement } from "../../src/checker/engines/html/describe-elements.ts";
import { elementKey } from "../../src/domain/identity/element-key.ts";

type Edit = (source: string) => string;

/** Written anew from its tree, as edits are: what a parser mends is mended in both. */
export const asParsed: Edit = (source) => serialize(parse(source));

const linesMove: Edit = (source) => source.replace(/^(<!DOCTYPE[^>]*>)?/i, "$1\n\n<!-- A comment. -->\n");
const attributesReversed: Edit = (source) => edited(source, (element) => void element.attrs.reverse());
const classed =
  (name: string): Edit =>
  (source) =>
    edited(source, (element) => addClass(element, name));
const siblingsAdded: Edit = (source) =>
  edited(source, (element) => {
    if (element.tagName !== "body") return;
    element.childNodes.unshift(...parseFragment("<hr>").childNodes);
    element.childNodes.push(...parseFragment("<hr>").childNodes);
  });

/** Edits of a document, written by `asParsed`, that change no fault: what it was, and what it is. */
export const harmlessEdits: Record<string, { was: Edit; is: Edit }> = {
  "lines move": { was: (source) => source, is: linesMove },
  "attributes change their order": { was: (source) => source, is: attributesReversed },
  "a generated class has another name": { was: classed("css-1a2b3c4d"), is: classed("css-9z8y7x6w") },
  "siblings are added": { was: (source) => source, is: siblingsAdded },
};

/** All of them. */
export const harmlessEdit: { was: Edit; is: Edit } = {
  was: (source) => Object.values(harmlessEdits).reduce((text, { was }) => was(text), source),
  is: (source) => Object.values(harmlessEdits).reduce((text, { is }) => is(text), source),
};

/**
 * Changes the address of one element, of those whose start tags have one of the given keys.
 *
 * @param number of the element among these, from 0
 * @returns undefined when there are not so many
 */
export function withOtherAddress(source: string, tags: ReadonlySet<string>, number: number): string | undefined {
  const found: Element[] = [];
  const document = visited(source, (element) => {
    const { tag } = elementKey(describeElement(element), "https://example.com");
    if (tags.has(tag) && addressOf(element)) found.push(element);
  });
  const address = found[number] && addressOf(found[number]);
  if (!address) return undefined;
  address.value = `${address.value}/other`;
  return serialize(document);
}

function addressOf({ attrs }: Element) {
  return attrs.find(({ name }) => name === "href" || name === "src");
}

function addClass(element: Element, name: string): void {
  const known = element.attrs.find((attribute) => attribute.name === "class");
  if (known) known.value = `${known.value} ${name}`;
  else element.attrs.push({ name: "class", value: name });
}

/** Changes each element of a document. */
function edited(source: string, change: (element: Element) => void): string {
  return serialize(visited(source, change));
}

function visited(source: string, visit: (element: Element) => void): Document {
  const document: Document = parse(source);
  const open: { childNodes: Document["childNodes"] }[] = [document];
  for (let parent = open.pop(); parent; parent = open.pop())
    for (const node of [...parent.childNodes]) {
      if (!isElement(node)) continue;
      visit(node);
      open.push(node);
    }
  return document;
}
