import type { ElementRule } from "../open-element.ts";
import { ariaInHtml } from "../sections.ts";

/** Elements that show nothing and have no place in the accessibility tree: neither role nor attributes. */
export const WITHOUT_ARIA = (
  "base col colgroup head link map meta noscript param script slot source style template title track"
).split(" ");

/** @see https://www.w3.org/TR/html-aria/#docconformance, "No role or aria-* attributes" */
export const checkWithoutAria: ElementRule = (open, report) => {
  for (const { name, prefix } of open.element.attrs)
    if (!prefix && (name === "role" || name.startsWith("aria-")))
      report(open, {
        rule: `aria-not-allowed/${name.slice(0, 60)}`,
        message: `The attribute "${name}" is not allowed on <${open.name}>, which has neither a role nor attributes of ARIA.`,
        section: ariaInHtml(`el-${open.name}`),
        attribute: name,
      });
};
