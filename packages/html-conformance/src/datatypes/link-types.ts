import { asciiLowerCase, type Check, quote, spaceSeparated } from "./text.ts";

/** Link types must be unique: https://html.spec.whatwg.org/multipage/links.html#linkTypes */
export const linkTypesProblem: Check = (value) => {
  const seen = new Set<string>();
  for (const token of spaceSeparated(value)) {
    const keyword = asciiLowerCase(token);
    if (seen.has(keyword)) return `${quote(token)} occurs twice`;
    seen.add(keyword);
  }
  return undefined;
};
