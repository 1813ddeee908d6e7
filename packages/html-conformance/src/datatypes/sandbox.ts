import { asciiLowerCase, type Check, quote, spaceSeparated, splitOnSpaces } from "./text.ts";

export const SANDBOX_KEYWORDS: ReadonlySet<string> = new Set(
  (
    "allow-downloads allow-forms allow-modals allow-orientation-lock allow-pointer-lock allow-popups " +
    "allow-popups-to-escape-sandbox allow-presentation allow-same-origin allow-scripts allow-top-navigation " +
    "allow-top-navigation-by-user-activation allow-top-navigation-to-custom-protocols"
  ).split(" "),
);

/** https://html.spec.whatwg.org/multipage/iframe-embed-object.html#attr-iframe-sandbox */
export const sandboxProblem: Check = (value) => {
  const seen = new Set<string>();
  for (const token of spaceSeparated(value)) {
    const keyword = asciiLowerCase(token);
    if (!SANDBOX_KEYWORDS.has(keyword)) return `${quote(token)} is not a sandbox keyword`;
    if (seen.has(keyword)) return `${quote(token)} occurs twice`;
    seen.add(keyword);
  }
  const wider = ["allow-top-navigation", "allow-popups"].find((keyword) => seen.has(keyword));
  if (wider !== undefined && seen.has("allow-top-navigation-to-custom-protocols"))
    return `allow-top-navigation-to-custom-protocols and ${wider} are not allowed together`;
  return seen.has("allow-top-navigation") && seen.has("allow-top-navigation-by-user-activation")
    ? "allow-top-navigation and allow-top-navigation-by-user-activation are not allowed together"
    : undefined;
};

export const sandboxWarning: Check = (value) => {
  const keywords = splitOnSpaces(asciiLowerCase(value));
  const escapes = keywords.includes("allow-scripts") && keywords.includes("allow-same-origin");
  return escapes
    ? "allow-scripts and allow-same-origin together let a page of the same origin remove its sandbox"
    : undefined;
};
