import { isDeepStrictEqual } from "node:util";
import type { Kind, ObjectMeta, Resources } from "../../schema/resources.ts";
import {
  type SpecProblem,
  statusProblems,
  validateReportSpec,
  validateScheduleSpec,
} from "../../schema/validate-spec.ts";
import { ClusterError } from "../port.ts";

/** The checks of an API server before it stores an object. All of them throw ClusterError `Invalid`. */

const DNS_SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const DNS_LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** A Job's name becomes a label of its pods, so the limit for labels applies. */
const maxNameLength: Record<Kind, number> = { Report: 253, Schedule: 253, Job: 63 };

export function admitName(kind: Kind, metadata: Pick<ObjectMeta, "name" | "namespace">): void {
  const { name, namespace } = metadata;
  const problems: SpecProblem[] = [];
  if (!DNS_SUBDOMAIN.test(name) || name.length > maxNameLength[kind]) {
    problems.push({
      field: "metadata.name",
      message: `${JSON.stringify(name)} must be lower case letters, digits, "-" and ".", at most ${maxNameLength[kind]}`,
    });
  }
  if (!DNS_LABEL.test(namespace) || namespace.length > 63) {
    problems.push({
      field: "metadata.namespace",
      message: `${JSON.stringify(namespace)} must be lower case letters, digits and "-", at most 63`,
    });
  }
  refuse(kind, name, problems);
}

/** The spec to store, with defaults filled in. Checks that it may replace `previous`, if given. */
export function admitSpec<K extends Kind>(
  kind: K,
  name: string,
  spec: Resources[K]["spec"],
  previous?: Resources[K]["spec"],
): Resources[K]["spec"] {
  if (kind === "Job") return admitJobSpec(name, spec as Resources["Job"]["spec"], previous as JobSpec | undefined);
  const checked =
    kind === "Report"
      ? validateReportSpec(spec, previous as Resources["Report"]["spec"] | undefined)
      : validateScheduleSpec(spec);
  if (checked.problems) refuse(kind, name, checked.problems);
  return checked.spec ?? spec;
}

export function admitStatus<K extends Kind>(kind: K, name: string, status: Resources[K]["status"]): void {
  if (kind === "Job" || status === undefined) return;
  refuse(kind, name, statusProblems(kind, status));
}

type JobSpec = Resources["Job"]["spec"];

/** The immutable fields of a Job; parallelism may change. */
const fixedJobFields = ["template", "completions"] as const;

function admitJobSpec(name: string, spec: JobSpec, previous?: JobSpec): JobSpec {
  const problems: SpecProblem[] = [];
  if (previous) {
    for (const field of fixedJobFields) {
      if (!isDeepStrictEqual(spec[field], previous[field]))
        problems.push({ field: `spec.${field}`, message: "field is immutable" });
    }
  }
  const containers = spec.template?.spec?.containers;
  if (!Array.isArray(containers) || containers.length === 0)
    problems.push({ field: "spec.template.spec.containers", message: "Required value" });
  for (const field of ["parallelism", "completions", "backoffLimit", "ttlSecondsAfterFinished"] as const) {
    const value = spec[field];
    if (value !== undefined && (!Number.isInteger(value) || value < 0))
      problems.push({ field: `spec.${field}`, message: `${value} must be a whole number, 0 or more` });
  }
  refuse("Job", name, problems);
  return { parallelism: 1, backoffLimit: 6, ...spec };
}

function refuse(kind: Kind, name: string, problems: SpecProblem[]): void {
  if (problems.length === 0) return;
  const list = problems.map(({ field, message }) => `${field}: ${message}`).join("; ");
  throw new ClusterError("Invalid", `${kind} "${name}" is invalid: ${list}`);
}
