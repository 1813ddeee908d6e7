import { autofillProblem } from "../datatypes/autocomplete.ts";
import { htmlSection } from "../finding.ts";
import { inputType } from "./aria/redundant-roles.ts";
import { type ElementRule, formatValue, quoted, tokens, value } from "./open-element.ts";

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

/** The autofill field of an `<input>`, and whether it is for inputs of that type. */
export const checkAutofill: ElementRule = (open, report) => {
  const autocomplete = value(open, "autocomplete");
  const type = inputType(open);
  if (autocomplete === undefined || /^(?:on|off)$/i.test(autocomplete) || !CHECKED.has(type)) return;
  const wrong = (rest: string) =>
    report(open, {
      rule: "bad-value/autocomplete",
      message: `The value "${formatValue(autocomplete)}" of the attribute "autocomplete" of <input type="${type}"> ${rest}.`,
      section: htmlSection("form-control-infrastructure.html#autofill-detail-tokens"),
      attribute: "autocomplete",
    });
  const problem = autofillProblem(autocomplete);
  if (problem) return wrong(`is not allowed: ${problem}`);
  const field = tokens(autocomplete.toLowerCase()).findLast((token) => token !== "webauthn");
  const types = typesOf.get(field ?? "");
  if (types && !types.includes(type)) wrong(`is for the types ${quoted(types)} only`);
};

/** The types that may have a field. The others must not have the attribute. */
const CHECKED = new Set(
  "hidden text search password url email tel number month date week time datetime-local range color".split(" "),
);
