import { type FindingState, findingStates, type StateTotals } from "../../domain/findings/finding-state.ts";
import { texts } from "../texts/en.ts";
import type { Step } from "./waterfall.ts";

/** The errors of two runs, and of each state of what is compared. */
type Compared = { from: number; to: number; states: StateTotals };

/** What lies between two numbers of errors. */
const order = ["fixed", "gone", "new_rule", "new"] as const satisfies readonly FindingState[];
const kinds = { fixed: "good", gone: "quiet", new_rule: "bad", new: "bad" } as const;

/**
 * The steps from the errors of one run to those of another: they add up. What neither state explains is on pages that were
 * not checked in both, or in the same state with other numbers.
 */
export function stepsOf({ from, to, states }: Compared, names: { from: string; to: string }): Step[] {
  const changes = order.map((state) => {
    const { errors } = states[state];
    const lessens = state === "fixed" || state === "gone";
    return { name: texts.states[state], value: lessens ? 0 - errors : errors, kind: kinds[state] };
  });
  const rest = to - from - changes.reduce((sum, { value }) => sum + value, 0);
  const unknown = { name: texts.states.unknown, value: rest, kind: "warn" } as const;
  const [fixed, gone, ...more] = changes;
  return [
    { name: names.from, value: from, kind: "quiet", total: true },
    ...[fixed, gone, unknown, ...more].flatMap((step) => (step && (step.value !== 0 || step === fixed) ? [step] : [])),
    { name: names.to, value: to, kind: "accent", total: true },
  ];
}

/** The states that change something, in the order in which they are shown. */
export const changingStates = (Object.keys(findingStates) as FindingState[])
  .filter((state) => state !== "persisting")
  .toSorted((a, b) => place(a) - place(b));

function place(state: FindingState): number {
  return ["new", "new_rule", "fixed", "gone", "unknown"].indexOf(state);
}
