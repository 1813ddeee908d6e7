import { isActing } from "../../schema/a11y-depths.ts";
import type { ReportSpec } from "../../schema/report.ts";
import type { ReportStandard } from "../../schema/standards.ts";
import { actingRules, axeRulesOfActing } from "../acting/rules.ts";
import type { CheckKind } from "./findings.ts";
import { type SuccessCriterion, successCriteria, type WcagLevel, type WcagVersion } from "./success-criteria.ts";

/** What a report says of a success criterion. */
export const criterionStates = {
  fails: "There are errors: it is not met.",
  nothing_found: "Rules were checked and found nothing, which does not say that it is met.",
  not_judged: "No rule that was checked is about it: a person has to judge it.",
} as const;
export type CriterionState = keyof typeof criterionStates;

/** Errors and warnings of a report about a success criterion. */
export type FoundOfCriterion = { number: string; errors: number; warnings: number };
export type JudgedCriterion = SuccessCriterion & Omit<FoundOfCriterion, "number"> & { state: CriterionState };

export const criterionSortKeys = ["number", "errors"] as const;

/** Obsolete: nothing can fail it any more, and WCAG 2.2 does not have it. */
const PARSING = "4.1.1";

const levels: readonly WcagLevel[] = ["A", "AA", "AAA"];
const versions: readonly WcagVersion[] = ["2.0", "2.1", "2.2"];
const standards: Readonly<Record<ReportStandard, { version: WcagVersion; level: WcagLevel }>> = {
  wcag2a: { version: "2.0", level: "A" },
  wcag2aa: { version: "2.0", level: "AA" },
  wcag21aa: { version: "2.1", level: "AA" },
  wcag22aa: { version: "2.2", level: "AA" },
  section508: { version: "2.0", level: "AA" },
  en301549: { version: "2.1", level: "AA" },
  all: { version: "2.2", level: "AAA" },
};

/** The criteria that a standard asks for. With `all`, which is no standard, those of the newest version. */
export function criteriaOfStandard(standard: ReportStandard): SuccessCriterion[] {
  const { version, level } = standards[standard];
  return [...successCriteria.values()].filter(
    (one) =>
      one.number !== PARSING &&
      levels.indexOf(one.level) <= levels.indexOf(level) &&
      versions.indexOf(one.since) <= versions.indexOf(version),
  );
}

/** The criteria that rules of each kind are about, of those that run. */
export const judgedBy: Readonly<Partial<Record<CheckKind, readonly string[]>>> = {
  a11y: [
    ...["1.1.1", "1.2.2", "1.3.1", "1.3.4", "1.3.5", "1.4.1", "1.4.2", "1.4.3", "1.4.4", "1.4.12"],
    ...["2.1.1", "2.1.3", "2.2.1", "2.2.2", "2.4.1", "2.4.2", "2.4.4", "2.5.3"],
    ...["3.1.1", "3.1.2", "3.3.2", "4.1.2"],
  ],
  html: ["1.1.1"],
};

/** The criteria that acting judges. Without reviews, what only a person can judge was not kept, so nothing is known of it. */
function actedCriteria({ storeIncompleteChecks }: Pick<ReportSpec, "storeIncompleteChecks">): string[] {
  return [...Object.values(actingRules), ...Object.values(axeRulesOfActing)].flatMap(({ criterion, canFail }) =>
    canFail || storeIncompleteChecks ? [criterion] : [],
  );
}

/**
 * What a report says of each criterion of its standard.
 *
 * @param checked the kinds of checks that have a result
 */
export function judgeCriteria(
  spec: Pick<ReportSpec, "standard" | "a11yDepth" | "storeIncompleteChecks">,
  checked: readonly CheckKind[],
  found: readonly FoundOfCriterion[],
): JudgedCriterion[] {
  const acted = isActing(spec.a11yDepth) && checked.includes("a11y") ? actedCriteria(spec) : [];
  const judged = new Set([...checked.flatMap((kind) => judgedBy[kind] ?? []), ...acted]);
  return criteriaOfStandard(spec.standard).map((criterion) => {
    const { errors = 0, warnings = 0 } = found.find(({ number }) => number === criterion.number) ?? {};
    const isJudged = judged.has(criterion.number) || warnings > 0;
    return { ...criterion, errors, warnings, state: errors > 0 ? "fails" : isJudged ? "nothing_found" : "not_judged" };
  });
}
