import { type FindingState, findingStates } from "../../../domain/findings/finding-state.ts";
import { roles } from "../../../domain/findings/role.ts";
import { count, each, members, namesIn, orNull } from "./parts.ts";

/** How many elements are in each state; null when they are not compared. */
export function stateCounts<const State extends FindingState>(states: readonly State[], description: string) {
  const properties = each(states, (state) => ({ ...count, description: findingStates[state] }));
  return orNull(members(properties, { description: `${description} null when not compared.` }));
}

/** How many elements have which role. */
export function roleCounts(description: string) {
  return orNull(
    members(
      each(namesIn(roles), (role) => ({ ...count, description: roles[role] })),
      { description },
    ),
  );
}
