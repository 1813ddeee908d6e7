import type { Backoff } from "../domain/backoff.ts";
import type { Limits as RetentionLimits } from "../domain/retention/limits.ts";
import type { SpecLimits } from "../schema/limits.ts";
import type { EnvironmentEntry, JobPods } from "./jobs/pod-spec.ts";
import type { Limits } from "./scheduling/grant.ts";

/** True for a namespace whose resources the controller may read. */
export function isWatched(
  { watchNamespaces }: Pick<ControllerSettings, "watchNamespaces">,
  namespace: string,
): boolean {
  return watchNamespaces?.includes(namespace) ?? true;
}

/**
 * What kills pods as they start may last for minutes. Each pause is shorter than the time for which a finished Job is
 * kept, which is at least a minute.
 */
export const defaultJobBackoff: Backoff = { baseMs: 10_000, maxMs: 50_000 };

/** The operator's settings, which main derives from the configuration. */
export type ControllerSettings = Limits & {
  /** The maxima for a report's spec. */
  specLimits: SpecLimits;
  /** Bytes that the results of one account may take; 0 or left out: no limit. */
  maxAccountBytes?: number;
  /** The namespace of Jobs. */
  namespace: string;
  /** The namespaces of Reports and Schedules; all when left out. */
  watchNamespaces?: readonly string[];
  /** How Jobs run as pods; left out when they run as processes of this machine. */
  pods?: JobPods;
  /** The image of the Jobs' containers, unless `pods` sets it. */
  image: string;
  /** The environment of every Job's container; secrets are references. */
  jobEnvironment: EnvironmentEntry[];
  /** How long a finished Job is kept. */
  jobTtlSeconds: number;
  /** The pauses before the third Job in a row of a stage, and before each further one. */
  jobBackoff: Backoff;
  /** How long a finished Report that the API or a schedule created is kept; its rows are kept longer. */
  reportTtlSeconds: number;
  /** How long the rows of a deleted report are kept. */
  deletionGraceSeconds: number;
  /** What accounts keep at most; everything when left out. */
  retention?: RetentionLimits;
};
