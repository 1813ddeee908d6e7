import type { StateElements } from "../../../database/findings/findings.ts";
import type { FindingState } from "../../../domain/findings/finding-state.ts";
import { timestamp } from "../../http/response/documents.ts";

type Compared = { states: StateElements; first_seen_at: Date };

/** How many elements are in each of these states, also 0; null when they are not compared. */
export function comparedAttributes<State extends FindingState>(
  { states, first_seen_at }: Compared,
  names: readonly State[],
) {
  const counts = states && names.map((name) => [name, states[name] ?? 0]);
  return {
    states: counts && (Object.fromEntries(counts) as Record<State, number>),
    first_seen_at: timestamp(first_seen_at),
  };
}
