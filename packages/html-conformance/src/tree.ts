import type { DefaultTreeAdapterTypes } from "parse5";

/** The tree of a document as parse5 makes it, with the positions of tags and attributes in the source. */
export type Element = DefaultTreeAdapterTypes.Element;
export type Document = DefaultTreeAdapterTypes.Document;
export type Node = DefaultTreeAdapterTypes.ChildNode;
export type Attribute = Element["attrs"][number];

export const HTML = "http://www.w3.org/1999/xhtml";
export const SVG = "http://www.w3.org/2000/svg";
export const MATHML = "http://www.w3.org/1998/Math/MathML";
export const XML = "http://www.w3.org/XML/1998/namespace";
export const XLINK = "http://www.w3.org/1999/xlink";

/** HTML's elements without content and end tag, obsolete ones included. */
export const VOID: ReadonlySet<string> = new Set(
  "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr".split(" "),
);

export function isElement(node: DefaultTreeAdapterTypes.Node): node is Element {
  return "tagName" in node;
}

/** An attribute without a namespace, or undefined. */
export function attribute(element: Element, name: string): string | undefined {
  return element.attrs.find((found) => found.name === name && !found.prefix)?.value;
}

/** True for an HTML element of one of these names. */
export function isHtml(node: DefaultTreeAdapterTypes.Node | null, ...names: readonly string[]): node is Element {
  return (
    node !== null &&
    isElement(node) &&
    node.namespaceURI === HTML &&
    (names.length === 0 || names.includes(node.tagName))
  );
}

/** The element children of a node. Those of a template's contents are not its children. */
export function elementChildren(node: { childNodes: readonly Node[] }): Element[] {
  return node.childNodes.filter(isElement);
}

/** All text below an element, as `Node.textContent` has it. */
export function textContent(node: { childNodes: readonly Node[] }): string {
  let text = "";
  for (const child of node.childNodes) {
    if ("value" in child) text += child.value;
    else if (isElement(child)) text += textContent(child);
  }
  return text;
}
