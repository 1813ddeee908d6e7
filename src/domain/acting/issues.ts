import type { Box } from "../findings/box.ts";
import type { A11yIssue } from "../findings/findings.ts";
import { understandingUrl } from "../findings/success-criteria.ts";
import { type ElementDescription, elementKey } from "../identity/element-key.ts";
import { type ActingRuleName, actingRules, criterionOfRule, tagsOfRule } from "./rules.ts";

/** An element of the page, as it was described in it. */
export type ActedElement = {
  extract: string;
  target: string;
  box: Box | null;
  element: ElementDescription;
};

/** Something that was found by acting. */
export type Acted = {
  rule: ActingRuleName;
  /** A person has to judge it. */
  review: boolean;
  /** What happened, as a sentence. */
  summary: string;
  element: ActedElement;
};

/**
 * Converts what was found to issues as axe-core's rules have them.
 *
 * @param withReviews keeps what a person has to judge
 * @param origin of the page, for the keys of its elements
 */
export function actingIssues(found: readonly Acted[], withReviews: boolean, origin: string): A11yIssue[] {
  const kept = found.filter(({ review }) => withReviews || !review);
  return [...Map.groupBy(kept, ({ rule, review }) => `${rule} ${review}`).values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    return [
      {
        issue_type: first.review ? ("warning" as const) : ("error" as const),
        rule: first.rule,
        message: actingRules[first.rule].help,
        help_url: understandingUrl(criterionOfRule(first.rule)),
        impact: actingRules[first.rule].impact,
        tags: tagsOfRule(first.rule),
        html: group.map(({ element: { extract, target, box, element }, summary }) => ({
          extract,
          target,
          failure_summary: summary,
          box,
          element: elementKey(element, origin),
        })),
      },
    ];
  });
}
