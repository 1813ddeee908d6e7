import type { SpecLimits } from "../schema/limits.ts";
import type { EnvironmentEntry, JobPods } from "./jobs/pod.ts";
import type { Limits } from "./scheduling/grant.ts";

/** True for a namespace whose resources may be looked at. */
export function isWatched(
  { watchNamespaces }: Pick<ControllerSettings, "watchNamespaces">,
  namespace: string,
): boolean {
  return watchNamespaces?.includes(namespace) ?? true;
}

/** What the operator decides; made from the configuration by main. */
export type ControllerSettings = Limits & {
  /** What a report may ask for, at most. */
  specLimits: SpecLimits;
  /** Where Jobs are made. */
  namespace: string;
  /** Whose Reports and Schedules are worked on; all there are when left out. */
  watchNamespaces?: readonly string[];
  /** How Jobs run as pods; left out where they are processes of this machine. */
  pods?: JobPods;
  /** The image of the Jobs' containers, where `pods` does not say. */
  image: string;
  /** Environment of every Job's container; secrets by reference. */
  jobEnvironment: EnvironmentEntry[];
  /** How long a finished Job stays. */
  jobTtlSeconds: number;
  /** How long a finished Report that the api or a schedule made stays; its rows stay longer. */
  reportTtlSeconds: number;
  /** How long the rows of a deleted report stay. */
  deletionGraceSeconds: number;
};
