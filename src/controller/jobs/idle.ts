import type { Pod } from "../../cluster/core-resources.ts";
import { annotations, type JobResource } from "../../schema/resources.ts";

/**
 * The state of a running Job without a working pod: `starting` when that may change by itself,
 * `stalled` when its pods ended or were lost and have not been replaced.
 */
export type Idleness = "starting" | "stalled";

/** A Job's own backoff is 10 s and 20 s; if it takes longer to replace a pod, a node is lost or it will not happen. */
const REPLACEMENT_MS = 30_000;

/** Whether a Job is idle. @returns undefined when one of its pods works, or the Job has ended */
export function idleness(job: JobResource, pods: readonly Pod[], now: number): Idleness | undefined {
  const { ready = 0, succeeded = 0, conditions = [] } = job.status ?? {};
  // After the first success the Job of a work queue creates no more pods, and ends.
  if (ready > 0 || succeeded > 0 || conditions.some(isTrue)) return undefined;
  if (pods.some(works)) return undefined;
  if (pods.some((pod) => pod.status?.phase === "Pending" && !pod.metadata.deletionTimestamp)) return "starting";
  const ends = pods.map(endOf).filter((time) => !Number.isNaN(time));
  // Without any pods the Job cannot create one, for example because of a quota. Another Job could not either.
  if (ends.length === 0) return "starting";
  // While its parallelism was 0, the Job could not replace a pod.
  const raisedAt = Date.parse(job.metadata.annotations?.[annotations.raisedAt] ?? "") || 0;
  return now - Math.max(raisedAt, ...ends) >= REPLACEMENT_MS ? "stalled" : "starting";
}

function works(pod: Pod): boolean {
  const ready = pod.status?.conditions?.some((condition) => condition.type === "Ready" && isTrue(condition));
  return pod.status?.phase === "Running" && Boolean(ready) && !pod.metadata.deletionTimestamp;
}

/** When a pod ended; on a lost node, when it was last ready; when it is deleted, when its grace period ends. */
function endOf(pod: Pod): number {
  const finished = (pod.status?.containerStatuses ?? []).flatMap(({ state }) => state?.terminated?.finishedAt ?? []);
  const unready = (pod.status?.conditions ?? []).filter(({ type, status }) => type === "Ready" && status !== "True");
  const times = [...finished, ...unready.flatMap(({ lastTransitionTime }) => lastTransitionTime ?? [])];
  const { creationTimestamp, deletionTimestamp = creationTimestamp } = pod.metadata;
  return Math.max(...[...times, creationTimestamp, deletionTimestamp].map((time) => Date.parse(time)));
}

function isTrue({ status }: { status: string }): boolean {
  return status === "True";
}
