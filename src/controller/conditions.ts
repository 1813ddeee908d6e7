import type { Condition } from "../schema/resources.ts";

/** The part of a condition that is decided; setConditions adds the rest. */
export type ConditionUpdate = Pick<Condition, "type" | "status" | "reason" | "message">;

/** Applies updates to conditions; a condition's lastTransitionTime changes only with its status. */
export function setConditions(
  previous: readonly Condition[],
  updates: readonly ConditionUpdate[],
  observedGeneration: number,
  now: Date,
): Condition[] {
  const updated = updates.map((update) => {
    const before = previous.find((condition) => condition.type === update.type);
    return {
      ...update,
      message: update.message.slice(0, 2_000),
      observedGeneration,
      lastTransitionTime: before?.status === update.status ? before.lastTransitionTime : now.toISOString(),
    };
  });
  return [...previous.filter((old) => !updates.some((update) => update.type === old.type)), ...updated];
}
