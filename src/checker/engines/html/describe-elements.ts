import { type Document, type Element, isElement, type Node } from "html-conformance/tree";
import type { Ancestor, ElementDescription } from "../../../domain/identity/element-key.ts";

/** Only the nearest ancestors are used: a hostile page has thousands of them for each of thousands of findings. */
const MAX_ANCESTORS = 100;
const MAX_STEPS = 1_000;
/** Classes are read of this many elements only: they are for selectors, which have few steps. */
const MAX_CLASSED = 40;
const MAX_CLASSES_LENGTH = 400;

/**
 * Finds the element that a place in a document's source belongs to: the one whose tag is there, otherwise the
 * innermost one around it.
 *
 * @param document parsed with the positions in the source
 * @returns a function of an offset in UTF-16 units; undefined where there is no element, as before `<html>`
 */
export function elementsBySource(document: Document): (offset: number) => Element | undefined {
  let elements: { start: number; element: Element }[] | undefined;

  return (offset) => {
    elements ??= listElements(document);
    let low = 0;
    let high = elements.length;
    // Finds the last element that begins at or before the offset.
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((elements[middle]?.start ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    let steps = 0;
    for (let element = elements[low - 1]?.element; element && steps < MAX_STEPS; element = parentOf(element), steps++)
      if ((element.sourceCodeLocation?.endOffset ?? 0) > offset) return element;
    return undefined;
  };
}

/** Lists elements in the order of the source, without recursion: a hostile page may nest too deep. */
function listElements(document: Document): { start: number; element: Element }[] {
  const found: { start: number; element: Element }[] = [];
  const open: { childNodes: readonly Node[] }[] = [document];
  for (let parent = open.pop(); parent; parent = open.pop()) {
    for (const node of parent.childNodes) {
      if (!isElement(node)) continue;
      // Elements that the parser adds have no place.
      if (node.sourceCodeLocation) found.push({ start: node.sourceCodeLocation.startOffset, element: node });
      open.push(node);
      if ("content" in node) open.push(node.content);
    }
  }
  return found.sort((a, b) => a.start - b.start);
}

function parentOf({ parentNode }: Element): Element | undefined {
  return parentNode && isElement(parentNode) ? parentNode : undefined;
}

/** The element with its attributes and ancestors. All children of one element share one list of ancestors. */
export function describeElement(element: Element): ElementDescription {
  const parent = parentOf(element);
  const ancestors = (parent && lists.get(parent)) ?? ancestorsOf(element);
  if (parent) lists.set(parent, ancestors);
  return {
    name: element.tagName,
    attributes: element.attrs.map(({ prefix, name, value }) => [prefix ? `${prefix}:${name}` : name, value] as const),
    ancestors,
  };
}

const lists = new WeakMap<Element, Ancestor[]>();

function ancestorsOf(element: Element): Ancestor[] {
  const ancestors: Ancestor[] = [];
  for (let parent = parentOf(element); parent && ancestors.length < MAX_ANCESTORS; parent = parentOf(parent))
    ancestors.push({
      name: parent.tagName,
      id: attributeOf(parent, "id"),
      role: attributeOf(parent, "role"),
      classes: ancestors.length < MAX_CLASSED ? attributeOf(parent, "class")?.slice(0, MAX_CLASSES_LENGTH) : undefined,
    });
  return ancestors;
}

function attributeOf(element: Element, name: string): string | undefined {
  return element.attrs.find((attribute) => attribute.name === name)?.value;
}
