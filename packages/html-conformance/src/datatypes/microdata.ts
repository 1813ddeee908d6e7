import { type Check, quote } from "./text.ts";
import { urlProblem } from "./url/url.ts";

/** One token of itemprop: https://html.spec.whatwg.org/multipage/microdata.html#names:-the-itemprop-attribute */
export const microdataPropertyProblem: Check = (value) => {
  if (!value.includes(".") && !value.includes(":")) return undefined;
  const problem = urlProblem(value, "absolute");
  return problem && `${quote(value)} has a "." or ":", but it is not an absolute URL: ${problem}`;
};
