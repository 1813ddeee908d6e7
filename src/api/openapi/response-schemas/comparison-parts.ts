import { type FindingState, findingStates } from "../../../domain/findings/finding-state.ts";
import { count, each, members, orNull } from "./parts.ts";

/** How many elements are in each state; null when they are not compared. */
export function stateCounts<const State extends FindingState>(states: readonly State[], description: string) {
  const properties = each(states, (state) => ({ ...count, description: findingStates[state] }));
  return orNull(members(properties, { description: `${description} null when not compared.` }));
}
