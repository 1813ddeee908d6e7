import { htmlSection } from "../../finding.ts";
import type { Element } from "../../tree.ts";
import { childrenOf, type DocumentRule, formatValue, hasWords, type OpenElement, ownText } from "../open-element.ts";
import { within } from "../within.ts";
import { type Selector, selectorsOf } from "./body-selectors.ts";

const SECTION = htmlSection("semantics.html#the-style-element");
const BODY = within("body");
/** Comparisons of selectors with elements in one document, after which no more are made: time stays bounded. */
const MAX_COMPARISONS = 200_000;

/** A `<style>` in `<body>` comes first in its parent, and is for its parent and what follows. */
export const watchBodyStyles: DocumentRule = (report) => {
  const elements: Element[] = [];
  const budget = { left: MAX_COMPARISONS };
  return {
    open(open) {
      elements.push(open.element);
    },
    close(open) {
      const { parent } = open;
      if (open.name !== "style" || !parent || !(open.within & BODY)) return;
      if (!isFirst(open, parent))
        report(open, {
          rule: "body-style/first",
          message: `This <style> in <body> is not the first child of its parent <${parent.element.tagName}>.`,
          section: SECTION,
        });
      for (const selector of selectorsOf(ownText(open)))
        if (matchesBefore(selector, parent.element)) {
          report(open, {
            rule: "body-style/selector",
            message: `The selector "${formatValue(selector.text)}" of this <style> in <body> matches, or may match, an element before <${parent.element.tagName}>, its parent; it may match the parent and what follows.`,
            section: SECTION,
            ...placeOf(open, selector),
          });
        }
    },
  };

  function matchesBefore(selector: Selector, parent: Element): boolean {
    for (const element of elements) {
      if (element === parent || budget.left <= 0) return false;
      if (selector.matches(element, budget) > 0) return true;
    }
    return false;
  }
};

function isFirst(open: OpenElement, parent: OpenElement): boolean {
  for (const node of childrenOf(parent.element)) {
    if (node === open.element) return true;
    if ("tagName" in node || (node.nodeName === "#text" && "value" in node && hasWords(node.value))) return false;
  }
  return true;
}

function placeOf(open: OpenElement, { line, column }: Selector) {
  const at = open.element.childNodes[0]?.sourceCodeLocation;
  return at && { place: { line: at.startLine + line - 1, column: line === 1 ? at.startCol + column - 1 : column } };
}
