import { elementsOf, type TreeElement } from "./tree.ts";

/** What the judge complains of: an error with the line it ends on. */
export type Complaint = { line: number; message: string };

const KEPT = new Set(["html", "head", "body", "title", "svg"]);

/** Takes out of a document what complaints name: the attribute, else the element. */
export function removeBlamed(
  root: TreeElement,
  lines: ReadonlyMap<number, TreeElement>,
  complaints: readonly Complaint[],
): void {
  for (const { line, message } of complaints) {
    const element = lines.get(line) ?? nearestBefore(lines, line);
    if (element) removeFrom(root, element, message);
  }
}

function nearestBefore(lines: ReadonlyMap<number, TreeElement>, line: number): TreeElement | undefined {
  return [...lines].filter(([at]) => at <= line).at(-1)?.[1];
}

function removeFrom(root: TreeElement, element: TreeElement, message: string): void {
  const quoted = [...message.matchAll(/“([^”]*)”/g)].map(([, name]) => name);
  const blamed = element.attributes.filter(({ name }) => quoted.includes(name));
  const isMissing = /is missing|needs|must have|must contain/.test(message);
  if (blamed.length > 0 && !isMissing) {
    element.attributes = element.attributes.filter((attribute) => !blamed.includes(attribute));
    return;
  }
  const named = isMissing ? (ancestorNamed(root, element, quoted[0]) ?? element) : element;
  if (KEPT.has(named.name)) {
    named.attributes = [];
    named.children = named.children.filter((child) => typeof child === "string" || KEPT.has(child.name));
    return;
  }
  const parent = parentOf(root, named);
  if (parent) parent.children = parent.children.filter((child) => child !== named);
}

function ancestorNamed(root: TreeElement, element: TreeElement, name: string | undefined): TreeElement | undefined {
  for (let at: TreeElement | undefined = element; at; at = parentOf(root, at)) if (at.name === name) return at;
  return undefined;
}

function parentOf(root: TreeElement, element: TreeElement): TreeElement | undefined {
  return elementsOf(root).find(({ children }) => children.includes(element));
}
