import { htmlSection } from "../finding.ts";
import { XML } from "../tree.ts";
import { type ElementRule, has, value } from "./open-element.ts";

const SECTION = htmlSection("dom.html#the-lang-and-xml:lang-attributes");

/** A document must declare its language, by `lang` or, in XHTML, by `xml:lang`. */
export const checkRootLanguage: ElementRule = (open, report) => {
  if (open.parent || has(open, "lang") || xmlLang(open) !== undefined) return;
  report(open, {
    severity: "warning",
    rule: "missing-lang",
    message: 'The language of the document is not declared; give <html> the attribute "lang".',
    section: SECTION,
  });
};

/** In XHTML an element may have both attributes, with the same value. */
export const checkSameLanguage: ElementRule = (open, report) => {
  const other = xmlLang(open);
  const own = other === undefined ? undefined : value(open, "lang");
  if (own === undefined || own.toLowerCase() === other?.toLowerCase()) return;
  report(open, {
    rule: "global/xml:lang",
    message: 'The attributes "lang" and "xml:lang" of an element must have the same value.',
    section: SECTION,
    attribute: "lang",
  });
};

function xmlLang({ element }: Parameters<ElementRule>[0]): string | undefined {
  return element.attrs.find(({ name, namespace }) => name === "lang" && namespace === XML)?.value;
}
