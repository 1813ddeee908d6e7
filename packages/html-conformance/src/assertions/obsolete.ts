import { OBSOLETE_ATTRIBUTES, OBSOLETE_ELEMENTS, OBSOLETE_EVERYWHERE } from "./obsolete-tables.ts";
import type { ElementRule } from "./open-element.ts";
import { OBSOLETE } from "./sections.ts";

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
    if (instead !== undefined)
      report(open, {
        severity: "warning",
        rule: `obsolete-attribute/${name}`,
        message: `The attribute "${name}" of <${open.name}> is obsolete; ${instead}.`,
        section: OBSOLETE,
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
