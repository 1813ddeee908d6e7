import { htmlSection } from "../finding.ts";
import { XLINK } from "../tree.ts";
import { type ElementRule, formatValue } from "./open-element.ts";

/**
 * `xmlns` and `xmlns:xlink` have no effect in HTML, and may only name the namespace that applies anyway. In XML they
 * are not attributes.
 */
export const checkNamespaces: ElementRule = (open, report) => {
  const { attrs, namespaceURI, tagName } = open.element;
  for (const { name, prefix, value } of attrs) {
    if (!name.startsWith("xmlns") && prefix !== "xmlns") continue;
    const full = prefix ? `${prefix}:${name}` : name;
    const only = full === "xmlns" ? namespaceURI : full === "xmlns:xlink" && !open.name ? XLINK : value;
    if (value !== only)
      report(open, {
        rule: `bad-value/${full}`,
        message: `The value "${formatValue(value)}" of the attribute "${full}" on <${tagName}> is not valid; allowed: "${only}".`,
        section: htmlSection(full === "xmlns" && open.name ? "dom.html#global-attributes" : "syntax.html#attributes-2"),
        attribute: full,
      });
  }
};
