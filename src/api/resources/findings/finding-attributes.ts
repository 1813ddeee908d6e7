import type { FindingDetails, FindingElement } from "../../../database/findings/findings.ts";
import { standardsOf } from "../../../domain/findings/standards.ts";
import { successCriteriaOf } from "../../../domain/findings/success-criteria.ts";

/** The attributes of findings and components that describe their rule. */
export function ruleAttributes({ kind, rule, message, help_url, tags, outside_standard }: FindingDetails) {
  const criteria = { success_criteria: successCriteriaOf(tags), standards: standardsOf(tags) };
  return { kind, rule: rule === "" ? null : rule, message, help_url, tags, outside_standard, ...criteria };
}

/** HTML findings have a position in the source, accessibility findings a selector and what to fix. */
export function elementAttributes(element: FindingElement | null) {
  if (!element) return null;
  const { extract, coordinates = null, target = null, selector = null, failure_summary = null, box = null } = element;
  return { extract, coordinates, target, selector, failure_summary, box };
}
