import type { Pod } from "../../cluster/core-resources.ts";
import type { JobResource } from "../../schema/resources.ts";

/**
 * The state of a running Job without a working pod: `starting` when that may change by itself,
 * `stalled` when its pods ended or were lost and have not been replaced.
 */
export type Idleness = "starting" | "stalled";

/** A Job's own backoff is 10 s and 20 s; if it takes longer to replace a pod, a node is lost or it will not happen. */
const REPLACEMENT_MS = 30_000;

/**
 * Whether a Job is idle. No time in it is compared with a clock of ours: pods' times come from their nodes and from the
 * API server, whose clocks may differ from ours by more than the time that it may take to replace a pod.
 *
 * @param lackingMs for how long, in milliseconds of our clock, `lacksPods` has been seen to hold
 * @returns undefined when one of its pods works, or the Job has ended
 */
export function idleness(job: JobResource, pods: readonly Pod[], lackingMs: number): Idleness | undefined {
  if (isWorking(job, pods)) return undefined;
  return lacksPods(job, pods) && lackingMs >= REPLACEMENT_MS + graceMs(pods) ? "stalled" : "starting";
}

/**
 * True when all pods of a running Job ended, were lost or are being deleted, and there is no other one yet. A Job without
 * any pods cannot create one, for example because of a quota: another Job could not either.
 */
export function lacksPods(job: JobResource, pods: readonly Pod[]): boolean {
  return !isWorking(job, pods) && pods.length > 0 && !pods.some(starts);
}

function isWorking(job: JobResource, pods: readonly Pod[]): boolean {
  const { ready = 0, succeeded = 0, conditions = [] } = job.status ?? {};
  // After the first success the Job of a work queue creates no more pods, and ends.
  return ready > 0 || succeeded > 0 || conditions.some(isTrue) || pods.some(works);
}

function works(pod: Pod): boolean {
  const ready = pod.status?.conditions?.some((condition) => condition.type === "Ready" && isTrue(condition));
  return pod.status?.phase === "Running" && Boolean(ready) && !pod.metadata.deletionTimestamp;
}

function starts({ metadata, status }: Pod): boolean {
  return status?.phase === "Pending" && !metadata.deletionTimestamp;
}

/** How long the pods that are being deleted may take to end. */
function graceMs(pods: readonly Pod[]): number {
  return Math.max(0, ...pods.map(({ metadata }) => metadata.deletionGracePeriodSeconds ?? 0)) * 1_000;
}

function isTrue({ status }: { status: string }): boolean {
  return status === "True";
}
