import type { CheckKind } from "./findings.ts";

/** How a finding of a report compares with those of an earlier one, its base. */
export const findingStates = {
  persisting: "It is in the base, too.",
  new: "It is not in the base.",
  new_rule:
    "It is not in the base, which was checked by another engine, by another version or setting without the rule, or not at all.",
  fixed: "It was in the base. Its page was checked again, and does not have it.",
  gone: "It was in the base. Its page now responds with 404 or 410.",
  unknown:
    "It is in one of the two, and in the other one its page was not visited or could not be checked, or was checked by another engine.",
} as const;

export type FindingState = keyof typeof findingStates;

/** The states of a report's own findings; the others are states of its base's findings. */
export const ownStates = ["persisting", "new", "new_rule", "unknown"] as const satisfies readonly FindingState[];

/** How many elements of a kind are in a state; `impact_order` is null for HTML. */
export type StateCount = {
  kind: CheckKind;
  state: FindingState;
  issue_type: "error" | "warning";
  impact_order: number | null;
  how_many: number;
};

/** What is counted in a comparison, and what would be if it were not muted. */
export type ComparedCounts = { counts: StateCount[]; mutedCounts: StateCount[] };

/** Errors and warnings of all kinds of checks by state. */
export type StateTotals = Record<FindingState, { errors: number; warnings: number }>;

export function stateTotals(counts: readonly StateCount[]): StateTotals {
  const states = Object.keys(findingStates) as FindingState[];
  const total = (state: FindingState, type: StateCount["issue_type"]) =>
    counts.reduce((sum, count) => sum + (count.state === state && count.issue_type === type ? count.how_many : 0), 0);
  const totals = states.map((state) => [state, { errors: total(state, "error"), warnings: total(state, "warning") }]);
  return Object.fromEntries(totals) as StateTotals;
}

/** What decides about a finding of one report that has no pair in the other. */
export type UnpairedFacts = {
  /** It is the report's, and not its base's. */
  isOwn: boolean;
  /** The other report performs checks of this kind. */
  isPerformed: boolean;
  /** The other report's engine: another one, one with another version or setting, or the same as far as is known. */
  engine: "same" | "changed" | "another";
  /** The other report has a finding of this rule. */
  hasRule: boolean;
  /** The page in the other report: checked, not there any more, one that could not be checked, or not visited. */
  page: "checked" | "gone" | "failed" | "none";
};

/** The state of a finding that has no pair. */
export function unpairedState({ isOwn, isPerformed, engine, hasRule, page }: UnpairedFacts): FindingState {
  const wasLookedFor = isPerformed && (engine === "same" || (engine === "changed" && hasRule));
  if (!wasLookedFor) return isOwn ? "new_rule" : "unknown";
  if (isOwn) return page === "checked" || page === "none" ? "new" : "unknown";
  if (page === "checked") return "fixed";
  return page === "gone" ? "gone" : "unknown";
}

/**
 * All there is to decide, with the decisions: a report may have a million findings without a pair, whose states are
 * looked up here by the statement that stores them.
 */
export function unpairedStates(): (UnpairedFacts & { state: FindingState })[] {
  const both = [true, false];
  return both.flatMap((isOwn) =>
    both.flatMap((isPerformed) =>
      both.flatMap((hasRule) =>
        (["same", "changed", "another"] as const).flatMap((engine) =>
          (["checked", "gone", "failed", "none"] as const).map((page) => {
            const facts = { isOwn, isPerformed, engine, hasRule, page };
            return { ...facts, state: unpairedState(facts) };
          }),
        ),
      ),
    ),
  );
}
