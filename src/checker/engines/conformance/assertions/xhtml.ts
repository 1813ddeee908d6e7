import { htmlSection, type Report } from "../finding.ts";
import { type Attribute, type Document, type Element, isElement, isHtml, type Node, XML } from "../tree.ts";

/** What is checked in XHTML only: in HTML the parser knows no attributes in namespaces, and RDFa allows `rev`. */
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
  const find = (namespace: string, name: string): Attribute | undefined =>
    element.attrs.find((attribute) => (attribute.namespace ?? "") === namespace && attribute.name === name);
  const lang = find("", "lang");
  const xmlLang = find(XML, "lang");
  if (lang && xmlLang && lang.value.toLowerCase() !== xmlLang.value.toLowerCase())
    report({
      severity: "error",
      rule: "global/xml:lang",
      message: 'The attributes "lang" and "xml:lang" must have the same value.',
      section: htmlSection("dom.html#the-lang-and-xml:lang-attributes"),
      element,
      attribute: xmlLang,
    });
  const rev = find("", "rev");
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
