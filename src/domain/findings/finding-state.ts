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

/** Errors and warnings of both kinds by state. */
export type StateTotals = Record<FindingState, { errors: number; warnings: number }>;

export function stateTotals(counts: readonly StateCount[]): StateTotals {
  const states = Object.keys(findingStates) as FindingState[];
  const total = (state: FindingState, type: StateCount["issue_type"]) =>
    counts.reduce((sum, count) => sum + (count.state === state && count.issue_type === type ? count.how_many : 0), 0);
  const totals = states.map((state) => [state, { errors: total(state, "error"), warnings: total(state, "warning") }]);
  return Object.fromEntries(totals) as StateTotals;
}
