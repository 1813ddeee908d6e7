import { type Check, characterAt, isAlpha, isDigit, quote, stripSpaces } from "../text.ts";

const MAX_LABEL = 63;
const LOCAL = /[^a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]/;

/** https://html.spec.whatwg.org/multipage/input.html#valid-e-mail-address; the empty string stands for no address. */
export const emailProblem: Check = (value) => (value === "" ? undefined : addressProblem(value));

/** https://html.spec.whatwg.org/multipage/input.html#valid-e-mail-address-list */
export const emailListProblem: Check = (value) => {
  if (value === "") return undefined;
  for (const part of value.split(",")) {
    const address = stripSpaces(part);
    const problem = address === "" ? "an address between commas is empty" : addressProblem(address);
    if (problem) return problem;
  }
  return undefined;
};

function addressProblem(address: string): string | undefined {
  const at = address.indexOf("@");
  if (at < 0) return `${quote(address)} has no "@"`;
  if (at === 0) return 'nothing is in front of "@"';
  const wrong = LOCAL.exec(address.slice(0, at));
  if (wrong) return `${characterAt(address, wrong.index)} is not allowed in front of "@"`;
  for (const label of address.slice(at + 1).split(".")) {
    if (label === "") return "a label of its domain is empty";
    if (label.length > MAX_LABEL)
      return `the label ${quote(label)} of its domain has more than ${MAX_LABEL} characters`;
    if (label.startsWith("-") || label.endsWith("-"))
      return `the label ${quote(label)} of its domain begins or ends with a hyphen`;
    for (let index = 0; index < label.length; index++) {
      const code = label.charCodeAt(index);
      if (!isAlpha(code) && !isDigit(code) && code !== 0x2d)
        return `${characterAt(label, index)} is not allowed in its domain`;
    }
  }
  return undefined;
}
