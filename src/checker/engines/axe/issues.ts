import { type A11yIssue, type Impact, impacts } from "../../../domain/findings.ts";
import type { Findings, RuleResult } from "./in-page.ts";

/** Limits each text: an element's source, its selector, and the summary of its failure. */
export const MAX_TEXT_LENGTH = 2_000;
/**
 * Elements stored per rule and page. When there are more, the last one says so. `how_many` is
 * always the length of `html`.
 */
export const MAX_NODES_PER_RULE = 5_000;

/** Converts axe-core's results to issues: violations are errors, and a person must review incomplete results. */
export function axeIssues(findings: Findings, withIncomplete: boolean): A11yIssue[] {
  return [
    ...findings.violations.map((rule) => axeIssue(rule, false)),
    ...(withIncomplete ? findings.incomplete.map((rule) => axeIssue(rule, true)) : []),
  ];
}

function axeIssue(rule: RuleResult, review: boolean): A11yIssue {
  const last = Math.min(rule.nodes.length, MAX_NODES_PER_RULE) - 1;
  const left = rule.total - last - 1;
  const note = `\n\nThis is the last element listed: ${left} more elements of this page are affected.`;
  return {
    rule_id: rule.id,
    help: rule.help,
    help_url: rule.helpUrl,
    impact: impactOf(rule.impact),
    review,
    tags: rule.tags,
    html: rule.nodes.slice(0, MAX_NODES_PER_RULE).map((node, index) => ({
      extract: node.html.slice(0, MAX_TEXT_LENGTH),
      // One entry per frame on the path; an entry that is a list leads through shadow roots.
      target: node.target.flat().join(" >>> ").slice(0, MAX_TEXT_LENGTH),
      failure_summary: (node.failureSummary ?? "").slice(0, MAX_TEXT_LENGTH) + (index === last && left > 0 ? note : ""),
    })),
  };
}

function impactOf(impact: string | null | undefined): Impact {
  return impacts.find((known) => known === impact) ?? "minor";
}
