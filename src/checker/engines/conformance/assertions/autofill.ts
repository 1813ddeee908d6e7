import { htmlSection } from "../finding.ts";
import { type ElementRule, quoted, shown, tokens, value } from "./open.ts";
import { inputType } from "./redundant-roles.ts";

const ANY = ["hidden", "text", "search"];
/** The types of `<input>` for each control group of autofill fields. */
const GROUPS: readonly (readonly [readonly string[], string])[] = [
  [["hidden"], "street-address"],
  [[...ANY, "password"], "new-password current-password one-time-code"],
  [[...ANY, "url"], "url photo impp"],
  [[...ANY, "email"], "email username"],
  [[...ANY, "tel"], "tel"],
  [[...ANY, "number"], "cc-exp-month cc-exp-year transaction-amount bday-day bday-month bday-year"],
  [[...ANY, "month"], "cc-exp"],
  [[...ANY, "date"], "bday"],
  [
    ANY,
    "name honorific-prefix given-name additional-name family-name honorific-suffix nickname organization-title " +
      "organization address-line1 address-line2 address-line3 address-level4 address-level3 address-level2 " +
      "address-level1 country country-name postal-code cc-name cc-given-name cc-additional-name cc-family-name " +
      "cc-number cc-csc cc-type transaction-currency language sex tel-country-code tel-national tel-area-code " +
      "tel-local tel-local-prefix tel-local-suffix tel-extension",
  ],
];
const typesOf = new Map(GROUPS.flatMap(([types, fields]) => fields.split(" ").map((field) => [field, types] as const)));

/** An autofill field is for some types of `<input>`; whether it is one at all, the datatype says. */
export const checkAutofillType: ElementRule = (open, tell) => {
  const all = tokens(value(open, "autocomplete")?.toLowerCase() ?? "").filter((token) => token !== "webauthn");
  const field = all.at(-1);
  const types = field === undefined ? undefined : typesOf.get(field);
  const type = inputType(open);
  if (!types || types.includes(type) || !CHECKED.has(type)) return;
  tell(open, {
    rule: "input/autocomplete",
    message: `The value "${shown(field ?? "")}" of the attribute "autocomplete" is not allowed on <input type="${type}">; it is for the types ${quoted(types)}.`,
    section: htmlSection("form-control-infrastructure.html#inappropriate-for-the-control"),
    attribute: "autocomplete",
  });
};

/** The types that may have a field. Others have none, which is said elsewhere. */
const CHECKED = new Set(
  "text search password url email tel number month date week time datetime-local range color".split(" "),
);
