import type { ElementRule } from "../open-element.ts";
import { ariaInHtml } from "../sections.ts";

/** @see https://www.w3.org/TR/html-aria/#docconformance, "No role or aria-* attributes" */
export const checkWithoutAria: ElementRule = (open, report) => {
  // For "aria-hidden" there is a rule of its own.
  for (const { name, prefix } of open.element.attrs)
    if (!prefix && (name === "role" || name.startsWith("aria-")) && name !== "aria-hidden")
      report(open, {
        rule: `aria-not-allowed/${name.slice(0, 60)}`,
        message: `The attribute "${name}" is not allowed on <${open.name}>, which has neither a role nor attributes of ARIA.`,
        section: ariaInHtml(`el-${open.name}`),
        attribute: name,
      });
};
