import type { FromSchema } from "json-schema-to-ts";
import { type CheckKind, checkKinds, namesOf } from "../checks/kinds.ts";

/**
 * `status` of the custom resources: counters and conditions only, under 8 KB
 * whatever the number of pages. Findings live in Postgres.
 */

const count = { type: "integer", minimum: 0 } as const;
const time = { type: "string", format: "date-time" } as const;

/** A condition that follows the Kubernetes API conventions ("Typical status properties"). */
const conditionSchema = {
  type: "object",
  description: "One aspect of the resource's state.",
  required: ["type", "status", "reason", "message", "observedGeneration", "lastTransitionTime"],
  additionalProperties: false,
  properties: {
    type: { type: "string", maxLength: 63, description: "The aspect, in CamelCase." },
    status: { type: "string", enum: ["True", "False", "Unknown"], description: "Whether the condition holds." },
    reason: { type: "string", maxLength: 100, description: "The reason in CamelCase, for programs." },
    message: { type: "string", maxLength: 2000, description: "The reason in a sentence, for people." },
    observedGeneration: { ...count, description: "The generation of the spec that the condition is based on." },
    lastTransitionTime: { ...time, description: "When the condition's status last changed." },
  },
} as const;

const conditions = {
  type: "array",
  items: conditionSchema,
  maxItems: 20,
  // Others may apply a condition of their own: theirs and ours do not replace each other.
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["type"],
  description: "Aspects of the state, for `kubectl wait --for=condition=…`.",
} as const;

const observedGeneration = {
  ...count,
  description: "The generation of the spec that the status is based on.",
} as const;

/** A Report's progress in one word, for people. */
export const reportPhases = ["Pending", "Crawling", "Checking", "Complete", "Failed"] as const;

/** The stages of a report that run as Jobs. */
export const stages = ["crawler", ...checkKinds.map(checkerStage)] as const;

/** The stage that runs the checks of a kind. */
export function checkerStage(kind: CheckKind): `${CheckKind}-checker` {
  return `${kind}-checker`;
}

const run = { ...count, description: "Number of the last Job created for this stage." } as const;

export const reportStatusSchema = {
  type: "object",
  description: "The report's progress. The findings are available from the API.",
  additionalProperties: false,
  properties: {
    observedGeneration,
    phase: { type: "string", enum: reportPhases, description: "The report's progress in one word." },
    stopReason: {
      type: "string",
      maxLength: 100,
      description: "Why the report ended early, in CamelCase; not set if it was completed.",
    },
    pages: { ...count, description: "Pages found." },
    errors: { ...count, description: `Errors found, ${namesOf(checkKinds)} together.` },
    warnings: { ...count, description: `Warnings found, ${namesOf(checkKinds)} together.` },
    newFindings: {
      ...count,
      description:
        "Errors and warnings that the report it is compared with does not have; set at the end, if there is such a report.",
    },
    fixedFindings: {
      ...count,
      description:
        "Errors and warnings of the report it is compared with that are gone, although their pages were checked.",
    },
    checks: {
      type: "object",
      description: "Checks of all kinds.",
      required: ["pending", "checked", "failed"],
      additionalProperties: false,
      properties: {
        pending: { ...count, description: "Checks that are waiting or running." },
        checked: { ...count, description: "Checks that ended with a result." },
        failed: { ...count, description: "Checks that ended without a result." },
      },
    },
    runs: {
      type: "object",
      description: "Number of Jobs created so far, so that a Job that ended and was removed is not created again.",
      additionalProperties: false,
      properties: Object.fromEntries(stages.map((stage) => [stage, run])) as Record<
        (typeof stages)[number],
        typeof run
      >,
    },
    startTime: { ...time, description: "When the first Job was created." },
    completionTime: { ...time, description: "When the report ended." },
    conditions,
  },
} as const;

export const scheduleStatusSchema = {
  type: "object",
  description: "When the schedule last ran and when it runs next.",
  additionalProperties: false,
  properties: {
    observedGeneration,
    lastRunTime: { ...time, description: "When the last report was started." },
    nextRunTime: { ...time, description: "When the next report is due; not set if only a deploy hook starts reports." },
    active: { type: "string", maxLength: 63, description: "Id of the report that is running." },
    conditions,
  },
} as const;

export type Condition = FromSchema<typeof conditionSchema>;
export type ReportPhase = (typeof reportPhases)[number];
/** The phases of a report that has ended. */
export type EndPhase = Extract<ReportPhase, "Complete" | "Failed">;
export type Stage = (typeof stages)[number];
export type ReportStatus = FromSchema<typeof reportStatusSchema>;
export type ScheduleStatus = FromSchema<typeof scheduleStatusSchema>;

export function isEndPhase(phase: ReportPhase | undefined): phase is EndPhase {
  return phase === "Complete" || phase === "Failed";
}
