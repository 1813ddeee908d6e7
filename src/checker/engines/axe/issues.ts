import { type A11yIssue, type Impact, impacts } from "../../../domain/findings.ts";
import type { Findings, RuleResult } from "./in-page.ts";

/** Longest text kept of an element or of what is wrong with it. */
export const MAX_TEXT_LENGTH = 2_000;
/**
 * Elements kept of one rule on one page; the last one says when there were more. Issues stay
 * whole: `how_many` is always the length of `html`.
 */
export const MAX_NODES_PER_RULE = 5_000;

/** axe-core's results as issues: violations are errors, incomplete results are for a person to review. */
export function axeIssues(findings: Findings, withIncomplete: boolean): A11yIssue[] {
  return [
    ...findings.violations.map((rule) => axeIssue(rule, false)),
    ...(withIncomplete ? findings.incomplete.map((rule) => axeIssue(rule, true)) : []),
  ];
}

function axeIssue(rule: RuleResult, review: boolean): A11yIssue {
  const last = Math.min(rule.nodes.length, MAX_NODES_PER_RULE) - 1;
  const left = rule.total - last - 1;
  const note = `\n\nThis is the last element listed: ${left} more of this page are affected.`;
  return {
    rule_id: rule.id,
    help: rule.help,
    help_url: rule.helpUrl,
    impact: impactOf(rule.impact),
    review,
    tags: rule.tags,
    html: rule.nodes.slice(0, MAX_NODES_PER_RULE).map((node, index) => ({
      extract: node.html.slice(0, MAX_TEXT_LENGTH),
      // One entry a frame on the way; an entry that is a list goes through shadow roots.
      target: node.target.flat().join(" >>> ").slice(0, MAX_TEXT_LENGTH),
      failure_summary: (node.failureSummary ?? "").slice(0, MAX_TEXT_LENGTH) + (index === last && left > 0 ? note : ""),
    })),
  };
}

function impactOf(impact: string | null | undefined): Impact {
  return impacts.find((known) => known === impact) ?? "minor";
}
