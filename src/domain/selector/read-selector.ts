import type { CssNode } from "css-tree";
import parse from "css-tree/selector-parser";
import { ident } from "css-tree/utils";
import { escapeName } from "./escape-name.ts";

const MAX_STEPS = 20;

/** What a selector may contain, for messages. */
const ALLOWED =
  "allowed are the names of elements, ids and classes, one inside of another (a space) or its child (>), and several selectors with commas, such as #ads img, .banner > a";

/**
 * Reads a CSS selector. It must not depend on positions and states, which are unknown once the finding's page is
 * closed.
 *
 * @returns its steps in a normal form (`selectorIndex`), or what is wrong with it
 */
export function readSelector(text: string): { steps: string } | { wrong: string } {
  let list: CssNode;
  try {
    list = parse(text, { context: "selectorList" });
  } catch (error) {
    return { wrong: `is not a CSS selector: ${(error as Error).message}` };
  }
  const selectors = childrenOf(list);
  if (selectors.length === 0) return { wrong: "is not a CSS selector: it is empty" };
  const written: string[] = [];
  let count = 0;
  for (const selector of selectors) {
    const nodes = childrenOf(selector);
    const refused = nodes.find((node) => !isAllowed(node));
    if (refused)
      return { wrong: `has ${nameOf(refused)}, which cannot be matched against a stored finding; ${ALLOWED}` };
    const steps = stepsOf(nodes);
    if (!steps) return { wrong: "is not a CSS selector: a combinator needs an element on either side" };
    written.push(steps.join(" "));
    count += steps.length;
  }
  if (count > MAX_STEPS) return { wrong: `has ${count} steps; at most ${MAX_STEPS} are allowed` };
  return { steps: [...new Set(written)].join(", ") };
}

const childrenOf = (node: CssNode): CssNode[] => ("children" in node && node.children ? node.children.toArray() : []);

function isAllowed(node: CssNode): boolean {
  if (node.type === "TypeSelector") return !node.name.includes("|");
  if (node.type === "Combinator") return node.name === " " || node.name === ">";
  return node.type === "IdSelector" || node.type === "ClassSelector";
}

/** The part of the selector as its author wrote it. */
function nameOf(node: CssNode): string {
  switch (node.type) {
    case "PseudoClassSelector":
      return `:${node.name}`;
    case "PseudoElementSelector":
      return `::${node.name}`;
    case "AttributeSelector":
      return `[${node.name.name}]`;
    case "TypeSelector":
    case "Combinator":
      return JSON.stringify(node.name);
    default:
      return `a ${node.type}`;
  }
}

/** Steps and the combinators between them; a space is left out. undefined when two combinators meet. */
function stepsOf(nodes: readonly CssNode[]): string[] | undefined {
  const steps: string[] = [];
  let parts: string[] = [];
  for (const node of nodes) {
    if (node.type !== "Combinator") {
      parts.push(partOf(node));
      continue;
    }
    if (parts.length === 0) return undefined;
    steps.push(writeParts(parts), ...(node.name === ">" ? [">"] : []));
    parts = [];
  }
  return parts.length === 0 ? undefined : [...steps, writeParts(parts)];
}

function partOf(node: CssNode): string {
  if (node.type === "ClassSelector") return `.${escapeName(ident.decode(node.name))}`;
  if (node.type === "IdSelector") return `#${escapeName(ident.decode(node.name))}`;
  const name = node.type === "TypeSelector" ? node.name : "*";
  return name === "*" ? name : escapeName(ident.decode(name).toLowerCase());
}

/** Writes the parts of a step, the name first. */
function writeParts(parts: readonly string[]): string {
  const [name = "*", ...others] = parts[0]?.match(/^[.#]/) ? ["*", ...parts] : parts;
  return [...new Set([name === "*" && others.length > 0 ? "" : name, ...others])].join("");
}
