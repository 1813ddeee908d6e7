import { type CheckKind, manifestOf } from "../../checks/kinds.ts";
import type { ReportStandard } from "../../schema/standards.ts";
import type { Issue } from "./findings.ts";
import { standardsOf } from "./standards.ts";

/**
 * Whether a rule is outside of the report's standard, and so neither an error nor a warning: a best practice, or a rule
 * of another level, version or standard.
 *
 * @param tags axe-core's, of the rule
 */
export function isOutside(tags: readonly string[], standard: ReportStandard): boolean {
  return standard !== "all" && !standardsOf(tags).includes(standard);
}

/** Marks an issue that is outside. Those of kinds whose rules are of no standard never are. */
export function markOutside(kind: CheckKind, issue: Issue, standard: ReportStandard): Issue {
  return manifestOf(kind).hasStandards ? { ...issue, outside_standard: isOutside(issue.tags, standard) } : issue;
}
