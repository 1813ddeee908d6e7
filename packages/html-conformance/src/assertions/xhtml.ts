import { htmlSection, type Report } from "../finding.ts";
import { type Document, type Element, isElement, isHtml, type Node } from "../tree.ts";

/** Checks that apply to XHTML only: RDFa allows `rev` in HTML. */
export function checkXhtml(document: Document, report: Report): void {
  const waiting: Node[] = [...document.childNodes].reverse();
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (!isElement(node)) continue;
    if (isHtml(node)) checkElement(node, report);
    for (let i = node.childNodes.length - 1; i >= 0; i--) {
      const child = node.childNodes[i];
      if (child) waiting.push(child);
    }
  }
}

function checkElement(element: Element, report: Report): void {
  const rev = element.attrs.find(({ name, namespace }) => name === "rev" && !namespace);
  if (rev)
    report({
      severity: "error",
      rule: "obsolete-attribute/rev",
      message: 'The attribute "rev" is obsolete; use "rel" with a type that has the opposite meaning.',
      section: htmlSection("obsolete.html#non-conforming-features"),
      element,
      attribute: rev,
    });
}
