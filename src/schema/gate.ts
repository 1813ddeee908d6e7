import type { FromSchema } from "json-schema-to-ts";
import type { gateSchema } from "../settings/gate.ts";

export type Gate = FromSchema<typeof gateSchema>;

/** Whether a gate has a condition. */
export function hasConditions(gate: Gate): boolean {
  const { minImpact: _, failOnFailedPages = false, requireComplete = false, ...limits } = gate;
  return failOnFailedPages || requireComplete || Object.keys(limits).length > 0;
}
