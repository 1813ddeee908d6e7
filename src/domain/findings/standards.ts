import { ACT_RULE_TAG } from "./act-rules.ts";
import { criterionOfTag } from "./success-criteria.ts";

/**
 * The standards that a finding may fail, by the tags of its rule. A later version or a higher level of WCAG includes
 * the earlier and lower ones (WCAG 2.2, section 5.2.1 and "Comparison with WCAG 2.1"), so one finding may fail
 * several.
 *
 * - Section 508, as revised in 2017, asks for WCAG 2.0, levels A and AA (36 CFR 1194, Appendix A, E205.4). axe-core's
 *   own tags `section508…` name paragraphs of the edition of 2000, all of which are among these.
 * - EN 301 549 V3.2.1, clause 9, asks for WCAG 2.1, levels A and AA. axe-core tags the same rules with it, and with
 *   `EN-301-549v4` what only the edition after it has.
 */
export const standards = {
  wcag2a: "WCAG 2.0, level A",
  wcag2aa: "WCAG 2.0, levels A and AA",
  wcag21aa: "WCAG 2.1, levels A and AA",
  wcag22aa: "WCAG 2.2, levels A and AA",
  wcag22aaa: "WCAG 2.2, all levels",
  section508: "Section 508 of the Rehabilitation Act, as revised in 2017",
  en301549: "EN 301 549 V3.2.1",
  "best-practice": "No standard: good practice",
} as const;

export type Standard = keyof typeof standards;

/** What each tag of axe-core means here (https://github.com/dequelabs/axe-core/blob/develop/doc/API.md, "axe-core tags"). */
const standardsByTag: Readonly<Record<string, readonly Standard[]>> = {
  wcag2a: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "wcag22aaa", "section508", "en301549"],
  wcag2aa: ["wcag2aa", "wcag21aa", "wcag22aa", "wcag22aaa", "section508", "en301549"],
  wcag2aaa: ["wcag22aaa"],
  wcag21a: ["wcag21aa", "wcag22aa", "wcag22aaa", "en301549"],
  wcag21aa: ["wcag21aa", "wcag22aa", "wcag22aaa", "en301549"],
  wcag22a: ["wcag22aa", "wcag22aaa"],
  wcag22aa: ["wcag22aa", "wcag22aaa"],
  section508: ["section508"],
  "EN-301-549": ["en301549"],
  "best-practice": ["best-practice"],
};

/** Tags that name none of these standards: categories, kinds of rules, and parts or mappings of standards. */
const otherTags = [
  /^cat\.[a-z-]+$/,
  ACT_RULE_TAG,
  /^(?:ACT|experimental|deprecated|review-item)$/,
  // Of criterion 4.1.1, which nothing can fail any more.
  /^wcag2a-obsolete$/,
  /^section508\.22\.[a-p]$/,
  // The Trusted Tester tests of the United States, and the French RGAA.
  /^TT(?:v5|\d+\.[a-z])$/,
  /^RGAA(?:v4|-\d+\.\d+\.\d+)$/,
  /^EN-(?:301-549v4|9\.\d\.\d\.\d{1,2})$/,
];

/** The standards that a finding fails, by the tags of its rule (axe-core's; rules of HTML have some of them), in the order of `standards`. */
export function standardsOf(tags: readonly string[]): Standard[] {
  const failed = new Set(tags.flatMap((tag) => (Object.hasOwn(standardsByTag, tag) ? standardsByTag[tag] : [])));
  return (Object.keys(standards) as Standard[]).filter((standard) => failed.has(standard));
}

/** The tags of rules whose findings fail a standard: any of them is enough. */
export function tagsOfStandard(standard: Standard): string[] {
  return Object.keys(standardsByTag).filter((tag) => standardsByTag[tag]?.includes(standard));
}

/** Whether a tag of axe-core is in this table or in that of success criteria. */
export function isKnownTag(tag: string): boolean {
  if (Object.hasOwn(standardsByTag, tag) || criterionOfTag(tag)) return true;
  return otherTags.some((pattern) => pattern.test(tag));
}
