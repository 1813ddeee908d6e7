import type { StateElements } from "../../../database/findings/state-elements.ts";
import { type FindingState, ownStates } from "../../../domain/findings/finding-state.ts";
import { timestamp } from "../../http/response/documents.ts";

type Compared = { states: StateElements; first_seen_at: Date };

/** How many elements are in each state, also 0; null when they are not compared. */
export function comparedAttributes({ states, first_seen_at }: Compared, names: readonly FindingState[] = ownStates) {
  return {
    states: states && Object.fromEntries(names.map((name) => [name, states[name] ?? 0])),
    first_seen_at: timestamp(first_seen_at),
  };
}
