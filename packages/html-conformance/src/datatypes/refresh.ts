import { type Check, characterAt, isSpace, skipDigits } from "./text.ts";
import { urlProblem } from "./url/url.ts";

/** https://html.spec.whatwg.org/multipage/semantics.html#attr-meta-http-equiv-refresh */
export const refreshProblem: Check = (value) => {
  const digits = skipDigits(value, 0);
  if (digits === 0)
    return value === "" ? "it is empty" : `it must begin with a digit, not with ${characterAt(value, 0)}`;
  if (digits === value.length) return undefined;
  if (value[digits] !== ";") return `${characterAt(value, digits)} is found where a digit or ";" should be`;
  let start = digits + 1;
  while (isSpace(value.charCodeAt(start))) start++;
  if (start === digits + 1) return `${characterAt(value, start)} is found where whitespace should follow ";"`;
  if (value.slice(start, start + 4).toLowerCase() !== "url=") return '"URL=" should follow the semicolon';
  const url = value.slice(start + 4);
  if (url === "") return undefined;
  if (url.startsWith("'") || url.startsWith('"')) return "its URL may not begin with a quotation mark";
  if (isSpace(url.charCodeAt(0)) || isSpace(url.charCodeAt(url.length - 1)))
    return "whitespace around its URL is not allowed";
  const problem = urlProblem(url, "reference");
  return problem && `its URL is not valid: ${problem}`;
};
