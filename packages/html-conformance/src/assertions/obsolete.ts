import { htmlSection } from "../finding.ts";
import { OBSOLETE_ATTRIBUTES, OBSOLETE_ELEMENTS, OBSOLETE_EVERYWHERE } from "./obsolete-tables.ts";
import { type ElementRule, is, type OpenElement, value } from "./open-element.ts";
import { OBSOLETE } from "./sections.ts";

const OBSOLETE_BUT_CONFORMING = htmlSection("obsolete.html#obsolete-but-conforming-features");
/** Obsolete attributes that still conform, on the elements and with the values for which they do. */
const CONFORMING: readonly (readonly [element: string, attribute: string, value?: string])[] = [
  ["img", "border", "0"],
  ["script", "charset", "utf-8"],
  ["script", "language", "javascript"],
  ["a", "name"],
];

/**
 * Obsolete attributes that only say how something looks. Authors must not use them either; but pages are full of them, nothing is
 * read wrong for one, and Nu, with which people compare, warns. The others are errors.
 */
const PRESENTATIONAL: ReadonlySet<string> = new Set(
  `align alink allowtransparency background bgcolor border bordercolor bottommargin cellpadding cellspacing char charoff
   clear color compact face frame frameborder framespacing height hspace leftmargin link marginbottom marginheight
   marginleft marginright margintop marginwidth noshade nowrap rightmargin rules scrolling size text topmargin type
   valign vlink vspace width`
    .split(/\s+/)
    .filter((name) => name !== ""),
);

function conforms(open: OpenElement, attribute: string): boolean {
  return CONFORMING.some(
    ([element, name, only]) =>
      element === open.name && name === attribute && (only === undefined || is(open, attribute, only)),
  );
}

export const checkObsoleteElement: ElementRule = (open, report) => {
  const instead = OBSOLETE_ELEMENTS.get(open.name);
  if (instead)
    report(open, {
      rule: "obsolete-element",
      message: `<${open.name}> is obsolete; use ${instead} instead.`,
      section: OBSOLETE,
    });
};

export const checkObsoleteAttributes: ElementRule = (open, report) => {
  for (const { name, prefix } of open.element.attrs) {
    if (prefix) continue;
    const instead = OBSOLETE_ATTRIBUTES.get(name)?.get(open.name);
    // In RDFa, "rev" has names with a colon.
    if (instead !== undefined && !(name === "rev" && value(open, name)?.includes(":")))
      report(open, {
        ...((PRESENTATIONAL.has(name) || conforms(open, name)) && { severity: "warning" }),
        rule: `obsolete-attribute/${name}`,
        message: `The attribute "${name}" of <${open.name}> is obsolete; ${instead}.`,
        section: conforms(open, name) ? OBSOLETE_BUT_CONFORMING : OBSOLETE,
        attribute: name,
      });
    const otherwise = OBSOLETE_EVERYWHERE.get(name);
    if (otherwise)
      report(open, {
        rule: `obsolete-attribute/${name}`,
        message: `The attribute "${name}" is obsolete; ${otherwise}.`,
        section: OBSOLETE,
        attribute: name,
      });
  }
};
