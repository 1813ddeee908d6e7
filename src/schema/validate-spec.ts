import { isDeepStrictEqual } from "node:util";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { ownSchemas } from "./own-schemas.ts";
import { immutableSpec, mutableReportFields, type ReportSpec, reportSpecSchema, staysCancelled } from "./report.ts";
import { type SpecRule, targetRules } from "./rules.ts";
import { type ScheduleSpec, scheduleRules, scheduleSpecSchema, timeZoneFault } from "./schedule.ts";
import { reportStatusSchema, scheduleStatusSchema } from "./status.ts";
import { stepFaults } from "./steps.ts";

/**
 * Does what a Kubernetes API server does with the CRDs, for objects that are not sent to one:
 * fills in defaults and checks the schema, the rules over several fields and immutability.
 */

/** One violation: a path such as `spec.maxPages`, and a sentence that says what is allowed. */
export type SpecProblem = { field: string; message: string };

/** The spec with defaults filled in, or every violation. */
export type CheckedSpec<Spec> = { spec: Spec; problems?: never } | { spec?: never; problems: SpecProblem[] };

const ajv = new Ajv({ ...ownSchemas, allErrors: true, useDefaults: true, strict: true, allowUnionTypes: true });
ajv.addFormat("date-time", { type: "string", validate: (text: string) => !Number.isNaN(Date.parse(text)) });

// Compiled on first use and cached by Ajv: short runs never need the schemas of schedules.
const reportSpec = () => ajv.compile<ReportSpec>(reportSpecSchema);
const scheduleSpec = () => ajv.compile<ScheduleSpec>(scheduleSpecSchema);
const reportStatus = () => ajv.compile(reportStatusSchema);
const scheduleStatus = () => ajv.compile(scheduleStatusSchema);

/** @param previous the spec to be replaced: only `mutableReportFields` may differ from it */
export function validateReportSpec(input: unknown, previous?: ReportSpec): CheckedSpec<ReportSpec> {
  const checked = validate(reportSpec(), targetRules, input);
  if (!checked.spec || !previous) return checked;
  const next: Record<string, unknown> = checked.spec;
  const before: Record<string, unknown> = previous;
  const changed = Object.keys(reportSpecSchema.properties).filter(
    (name) =>
      !(mutableReportFields as readonly string[]).includes(name) && !isDeepStrictEqual(next[name], before[name]),
  );
  const problems = changed.map((name) => ({ field: `spec.${name}`, message: immutableSpec }));
  if (!staysCancelled.holds(next, before))
    problems.push({ field: `spec.${staysCancelled.field}`, message: staysCancelled.message });
  return problems.length === 0 ? checked : { problems };
}

/** Takes no previous spec, because a Schedule's spec may change at any time. */
export function validateScheduleSpec(input: unknown): CheckedSpec<ScheduleSpec> {
  const checked = validate(scheduleSpec(), [...targetRules, ...scheduleRules], input);
  const fault = checked.spec && timeZoneFault(checked.spec);
  return fault === undefined ? checked : { problems: [{ field: "spec.periodicity.timeZone", message: fault }] };
}

/** The violations of a status; empty when it is valid. */
export function statusProblems(kind: "Report" | "Schedule", status: unknown): SpecProblem[] {
  const check = kind === "Report" ? reportStatus() : scheduleStatus();
  return check(status) ? [] : (check.errors ?? []).map((error) => problem("status", error));
}

function validate<Spec>(
  check: ValidateFunction<Spec>,
  rules: readonly SpecRule<Spec>[],
  input: unknown,
): CheckedSpec<Spec> {
  // Ajv writes defaults into the value that it validates, so this must be a copy.
  const spec: unknown = structuredClone(input);
  if (!check(spec)) return { problems: (check.errors ?? []).map((error) => problem("spec", error)) };
  const problems = [
    ...rules.filter((rule) => !rule.holds(spec)).map(({ field, message }) => ({ field: `spec.${field}`, message })),
    // No rule of a CRD can read steps, so these are found when the resource is reconciled.
    ...stepFaults(spec as Parameters<typeof stepFaults>[0]).map(({ path, message }) => ({
      field: ["spec", ...path].join("."),
      message,
    })),
  ];
  return problems.length === 0 ? { spec } : { problems };
}

function problem(root: string, error: ErrorObject): SpecProblem {
  const path = [root, ...error.instancePath.split("/").slice(1)].join(".");
  const named = error.params.missingProperty ?? error.params.additionalProperty;
  const allowed = error.params.allowedValues ? `: ${error.params.allowedValues.join(", ")}` : "";
  return { field: named ? `${path}.${named}` : path, message: `${error.message ?? "is not valid"}${allowed}` };
}
