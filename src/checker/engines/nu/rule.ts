/**
 * A stable name for the rule of one of Nu's messages, which do not name rules: the message without its quotations of
 * the page, up to the first full stop, colon or parenthesis. `Element “p” not allowed as child of element “b”
 * in this context. (Suppressing …)` is `element-not-allowed-as-child-of-element-in-this-context`.
 */
export function ruleOf(message: string): string {
  const start = message.slice(0, MAX_READ);
  for (const [template, rule] of templates) if (template.test(start)) return rule;
  return start.startsWith(CSS) ? `css/${withoutQuotes(start.slice(CSS.length))}` : withoutQuotes(start);
}

function withoutQuotes(start: string): string {
  const words = start
    // The quotes of Nu and of its XML parser. A quotation may contain quotes; it ends before a space or punctuation.
    .replaceAll(/“.*?”(?![^\s.,:;)\]’—-])/gs, " ")
    .replaceAll(/“[^”]*$/g, " ")
    .replaceAll(/"[^"]*"/g, " ")
    .split(/[.:;([\]]|\s[—–]\s/)
    .map((part) => part.toLowerCase().match(/\p{L}[\p{L}’']*/gu) ?? [])
    .find((part) => part.length > 0);
  return kebab(words ?? []) || "other";
}

/** Nu quotes whole values, and some are long. */
const MAX_READ = 2_000;
const MAX_RULE_LENGTH = 80;
const CSS = "CSS: ";

/** Messages with values of the page that are not quoted or contain quotes, and messages that go on after a colon. */
const templates: readonly (readonly [RegExp, string])[] = [
  [/^Bad value “.*” for (?:the )?attribute “/s, "bad-value-for-attribute-on-element"],
  [/^Bad value “/, "bad-value-for-attribute-on-element"],
  [/^An “img” element must have an “alt” attribute/, "img/alt"],
  [/^Duplicate ID “/, "duplicate-id"],
  [/^The first occurrence of ID “/, "the-first-occurrence-of-id-was-here"],
  [/^Forbidden code point /, "forbidden-code-point"],
  [/^Saw U\+0000 /, "saw-null-in-stream"],
  [/^reference to undeclared (general|parameter) entity /i, "reference-to-undeclared-entity"],
  [/^CSS: .*is not a “.*” value/s, "css/value"],
  [/^CSS: .*Property “.*” doesn(?:'|’)t exist/s, "css/property"],
  [/^CSS: .*Parse Error/s, "css/syntax"],
];

function kebab(words: readonly string[]): string {
  let rule = "";
  for (const word of words) {
    const part = word.replaceAll(/[’']/g, "");
    if (rule.length + part.length >= MAX_RULE_LENGTH) break;
    rule += rule === "" ? part : `-${part}`;
  }
  return rule.slice(0, MAX_RULE_LENGTH);
}
