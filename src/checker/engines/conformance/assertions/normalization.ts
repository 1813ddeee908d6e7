import { childrenOf, type DocumentRule, formatValue } from "./open-element.ts";

const CHARMOD = "https://www.w3.org/TR/charmod-norm/";
/** Composed with what is before it, or nothing that text begins with. */
const COMBINING = /^\p{M}/u;
const NOT_ASCII = /[^\0-\x7f]/;

/** Text and attributes in Unicode Normalization Form C. */
export const watchNormalization: DocumentRule = (report) => ({
  inTemplates: true,
  open(open) {
    for (const attribute of open.element.attrs) {
      const { name, value } = attribute;
      if (!NOT_ASCII.test(value)) continue;
      const problem = problemOf(value);
      if (problem)
        report(open, {
          severity: "warning",
          rule: "not-normalized/attribute",
          message: `The value of the attribute "${name}" of <${open.element.tagName}> ${problem}.`,
          section: CHARMOD,
          attribute: name,
        });
    }
    for (const node of childrenOf(open.element)) {
      if (!("value" in node) || !NOT_ASCII.test(node.value)) continue;
      const problem = problemOf(node.value);
      if (!problem) continue;
      report(open, {
        severity: "warning",
        rule: "not-normalized/text",
        message: `The text "${formatValue(node.value.trim())}" in <${open.element.tagName}> ${problem}.`,
        section: CHARMOD,
      });
      return;
    }
  },
});

function problemOf(text: string): string | undefined {
  if (COMBINING.test(text)) return "begins with a combining character";
  return text.normalize("NFC") === text ? undefined : "is not in Unicode Normalization Form C";
}
