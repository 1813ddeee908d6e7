import { TOO_MANY_FINDINGS } from "html-conformance/messages";
import type { HtmlEngineName } from "../../../schema/html-engines.ts";
import { htmlRules, parserErrorTags } from "../html-validate/rules.ts";

/** Categories of rules by prefixes of their names; the first that matches counts. */
const categories: readonly (readonly [prefix: RegExp, tags: readonly string[]])[] = [
  [/^parse\//, ["syntax"]],
  [/^css\/|^(?:style|body-style)\b/, ["css"]],
  [/^img\/alt$/, ["images", "wcag2a", "wcag111"]],
  [/^(?:img|image-candidates|track)\//, ["images"]],
  [/^obsolete-/, ["deprecated"]],
  [
    /^(?:aria|naming-prohibited|role|redundant-role|unknown-role|presentation|active-descendant|tab-)|-(?:in-)?role\b/,
    ["aria"],
  ],
  [/^dangling-reference\b|^duplicate-id$|^map\//, ["references"]],
  [/^(?:label|input|select|optgroup|form|number-order|autofocus)\b/, ["forms"]],
  [/^table\//, ["tables"]],
  [/^(?:meta|link|base|heading|section|empty-heading|empty-text\/title|main-not-unique|not-normalized)/, ["document"]],
  [/^(?:script|microdata)\b/, ["attributes"]],
  [/^(?:attribute|missing-attribute|bad-value|questionable-value|global\/)/, ["attributes"]],
  [/element|child|text|nesting|duplicate-dt|content|custom/, ["content-model"]],
];

/** Categories of a rule, for filters: the same for all engines. */
export function tagsOf(engine: HtmlEngineName, rule: string): string[] {
  if (rule === TOO_MANY_FINDINGS) return [];
  if (engine === "html-validate") return [...(htmlRules[rule]?.tags ?? parserErrorTags)];
  return [...(categories.find(([prefix]) => prefix.test(rule))?.[1] ?? [])];
}
