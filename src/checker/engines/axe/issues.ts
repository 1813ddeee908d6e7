import { axeRulesOfActing } from "../../../domain/acting/rules.ts";
import { findingLimits } from "../../../domain/findings/bound-findings.ts";
import { type Contrast, contrastOf } from "../../../domain/findings/contrast.ts";
import { type A11yIssue, type Impact, impacts } from "../../../domain/findings/findings.ts";
import { type ElementDescription, elementKey } from "../../../domain/identity/element-key.ts";
import { describeStartTag } from "../../../domain/identity/start-tag.ts";
import type { Findings, RuleResult } from "./in-page.ts";
import { ORIENTATION_LOCK } from "./rules.ts";

/** Limits each text that a page's process sends: an element's source, its selector, and the summary of its failure. */
export const MAX_TEXT_LENGTH = findingLimits.text;
/** Elements listed per rule and page; `how_many` counts those beyond. */
export const MAX_NODES_PER_RULE = findingLimits.elements;

/**
 * Converts axe-core's results to issues: violations are errors, and a person must review incomplete results.
 *
 * @param origin of the page, for the keys of its elements
 */
export function axeIssues(findings: Findings, withIncomplete: boolean, origin: string): A11yIssue[] {
  const isReview = ({ id }: RuleResult) => axeRulesOfActing[id]?.canFail === false;
  const undecided = findings.incomplete.filter((rule) => rule.id !== ORIENTATION_LOCK && !isReview(rule));
  const reviews = withIncomplete ? [...findings.violations.filter(isReview), ...undecided] : [];
  return [
    ...findings.violations.filter((rule) => !isReview(rule)).map((rule) => axeIssue(rule, false, origin)),
    ...reviews.map((rule) => axeIssue(rule, true, origin)),
  ];
}

function axeIssue(rule: RuleResult, review: boolean, origin: string): A11yIssue {
  return {
    issue_type: review ? "warning" : "error",
    rule: rule.id,
    message: rule.help,
    help_url: rule.helpUrl,
    impact: impactOf(rule.impact),
    tags: rule.tags,
    html: rule.nodes.slice(0, MAX_NODES_PER_RULE).map((node) => ({
      ...withContrast(node.contrast),
      extract: node.html.slice(0, MAX_TEXT_LENGTH),
      // One entry per frame on the path; an entry that is a list leads through shadow roots.
      target: node.target.flat().join(" >>> ").slice(0, MAX_TEXT_LENGTH),
      failure_summary: (node.failureSummary ?? "").slice(0, MAX_TEXT_LENGTH),
      box: node.box ?? null,
      element: elementKey(node.element ?? describeExtract(node), origin),
    })),
    ...(rule.total > Math.min(rule.nodes.length, MAX_NODES_PER_RULE) && { how_many: rule.total }),
  };
}

function withContrast(data: unknown): { contrast?: Contrast } {
  const contrast = contrastOf(data);
  return contrast ? { contrast } : {};
}

/** An element in a frame is identified by its start tag and by the number of frames around it. */
function describeExtract({ html, target }: RuleResult["nodes"][number]): ElementDescription {
  const element = describeStartTag(html.slice(0, MAX_TEXT_LENGTH)) ?? { name: "", attributes: [] };
  return { ...element, ancestors: target.slice(1).map(() => ({ name: "iframe" })) };
}

function impactOf(impact: string | null | undefined): Impact {
  return impacts.find((known) => known === impact) ?? "minor";
}
