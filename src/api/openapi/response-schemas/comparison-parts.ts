import { type FindingState, findingStates } from "../../../domain/findings/finding-state.ts";
import { count, members, orNull, type Schema } from "./parts.ts";

/** How many elements are in each state; null when they are not compared. */
export function stateCounts(states: readonly FindingState[], description: string): Schema {
  const properties = states.map((state) => [state, { ...count, description: findingStates[state] }]);
  return orNull(members(Object.fromEntries(properties), { description: `${description} null when not compared.` }));
}
