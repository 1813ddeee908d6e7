import { type ElementRule, has, type OpenElement, quoted } from "../open-element.ts";
import { ariaInHtml } from "../sections.ts";
import { UNNAMED_ROLES } from "./roles.ts";

const NAMING = ["aria-label", "aria-labelledby", "aria-braillelabel"];
/** Elements whose own role must not have a name. */
const UNNAMED_ELEMENTS: ReadonlySet<string> = new Set(
  (
    "abbr b bdi bdo body caption cite code data del div em figcaption i ins kbd legend mark p pre q rp rt s samp small " +
    "span strong sub sup time u var"
  ).split(" "),
);

/** Names on elements that ARIA does not let have one. */
export const checkNaming: ElementRule = (open, report) => {
  if (!open.hasAria && !NAMING.some((name) => has(open, name))) return;
  if (!mustNotBeNamed(open)) return;
  for (const attribute of NAMING)
    if (has(open, attribute))
      report(open, {
        rule: `naming-prohibited/${attribute}`,
        message: `The attribute "${attribute}" is not allowed on <${open.name}>, unless it has another role than ${quoted([...UNNAMED_ROLES])}.`,
        section: ariaInHtml("dfn-naming-prohibited"),
        attribute,
      });
};

function mustNotBeNamed(open: OpenElement): boolean {
  const { name, role } = open;
  const unnamed =
    UNNAMED_ELEMENTS.has(name) || name.includes("-") || ((name === "a" || name === "area") && !has(open, "href"));
  if (!unnamed) return false;
  return role === undefined || open.roles.some((one) => UNNAMED_ROLES.has(one));
}
