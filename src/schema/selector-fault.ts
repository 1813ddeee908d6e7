import parse from "css-tree/selector-parser";

type Node = { type: string; children?: Iterable<Node> | null };

/**
 * What is wrong with a CSS selector by its syntax. What only a browser knows, such as the names of pseudo-classes, is not
 * looked at.
 *
 * @returns undefined for one that may be right
 */
export function selectorFault(text: string): string | undefined {
  try {
    const list: Node = parse(text, { context: "selectorList" });
    const selectors = [...(list.children ?? [])].map(({ children }) => [...(children ?? [])].map(({ type }) => type));
    if (selectors.length === 0 || /,\s*$/.test(text)) return "is not a CSS selector: one is empty";
    // Each combinator has an element before and after it.
    const isWhole = (types: string[]) =>
      types.every(
        (type, index) => type !== "Combinator" || (index > 0 && index < types.length - 1 && types[index - 1] !== type),
      );
    return selectors.every(isWhole) ? undefined : "is not a CSS selector: a combinator needs an element on either side";
  } catch (error) {
    return `is not a CSS selector: ${(error as Error).message}`;
  }
}
