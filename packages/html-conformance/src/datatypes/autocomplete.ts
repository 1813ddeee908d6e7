import { asciiLowerCase, type Check, quote, splitOnSpaces } from "./text.ts";

const CONTACTS = new Set(["home", "work", "mobile", "fax", "pager"]);
const CONTACT_FIELDS = new Set(
  "tel tel-country-code tel-national tel-area-code tel-local tel-local-prefix tel-local-suffix tel-extension email impp".split(
    " ",
  ),
);
const FIELDS = new Set(
  (
    "name honorific-prefix given-name additional-name family-name honorific-suffix nickname username new-password " +
    "current-password one-time-code organization-title organization street-address address-line1 address-line2 address-line3 " +
    "address-level4 address-level3 address-level2 address-level1 country country-name postal-code cc-name cc-given-name " +
    "cc-additional-name cc-family-name cc-number cc-exp cc-exp-month cc-exp-year cc-csc cc-type transaction-currency " +
    "transaction-amount language bday bday-day bday-month bday-year sex url photo"
  ).split(" "),
);

/**
 * Autofill detail tokens: https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#autofill-detail-tokens
 * Which fields suit which control is not a matter of the value alone.
 */
export const autofillProblem: Check = (value) => {
  const tokens = splitOnSpaces(asciiLowerCase(value));
  if (tokens.length === 0) return "it is empty";
  let index = 0;
  if (tokens[index]?.startsWith("section-")) index++;
  if (tokens[index] === "shipping" || tokens[index] === "billing") index++;
  const contact = CONTACTS.has(tokens[index] ?? "") ? tokens[index++] : undefined;
  const field = tokens[index++];
  if (field === undefined) return `no autofill field name follows ${quote(tokens[index - 2] ?? "")}`;
  const problem = fieldProblem(field, contact);
  if (problem) return problem;
  if (tokens[index] === "webauthn") index++;
  const extra = tokens[index];
  return extra === undefined
    ? undefined
    : `${quote(extra)} is not allowed behind the autofill field name ${quote(field)}`;
};

function fieldProblem(field: string, contact: string | undefined): string | undefined {
  if (CONTACT_FIELDS.has(field) || (FIELDS.has(field) && contact === undefined)) return undefined;
  if (FIELDS.has(field)) {
    return `the autofill field name ${quote(field)} is not allowed behind ${quote(contact ?? "")}`;
  }
  if (field.startsWith("section-")) return `${quote(field)} must be the first token`;
  if (field === "shipping" || field === "billing") return `${quote(field)} is not allowed there`;
  if (field === "webauthn") return `"webauthn" must follow an autofill field name`;
  return `${quote(field)} is not an autofill field name`;
}
