import type { Condition } from "../schema/resources.ts";

/** A condition as a policy states it; the rest follows from what was there before. */
export type Statement = Pick<Condition, "type" | "status" | "reason" | "message">;

/** The conditions with the statements made; the time of one changes only with its status. */
export function setConditions(
  previous: readonly Condition[],
  statements: readonly Statement[],
  observedGeneration: number,
  now: Date,
): Condition[] {
  const stated = statements.map((statement) => {
    const before = previous.find((condition) => condition.type === statement.type);
    return {
      ...statement,
      message: statement.message.slice(0, 2_000),
      observedGeneration,
      lastTransitionTime: before?.status === statement.status ? before.lastTransitionTime : now.toISOString(),
    };
  });
  return [...previous.filter((old) => !statements.some((statement) => statement.type === old.type)), ...stated];
}
