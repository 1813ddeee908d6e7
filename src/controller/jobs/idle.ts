import type { Pod } from "../../cluster/core-resources.ts";
import type { JobResource } from "../../schema/resources.ts";

/**
 * A Job that runs of which no pod works: `starting` when that may change by itself,
 * `stalled` when its pods ended or were lost and none has followed them.
 */
export type Idleness = "starting" | "stalled";

/** A Job's own back-off is 10 s and 20 s; whoever waits longer waits for a node that is lost, or for nothing. */
const FOLLOWED_MS = 30_000;

/** Whether pods of a Job work. @returns undefined when one does, or the Job has ended */
export function idleness(job: JobResource, pods: readonly Pod[], now: number): Idleness | undefined {
  const { ready = 0, succeeded = 0, conditions = [] } = job.status ?? {};
  // From its first success on a work queue's Job makes no more pods, and ends.
  if (ready > 0 || succeeded > 0 || conditions.some(isTrue)) return undefined;
  if (pods.some(works)) return undefined;
  if (pods.some((pod) => pod.status?.phase === "Pending" && !pod.metadata.deletionTimestamp)) return "starting";
  const ends = pods.map(endOf).filter((time) => !Number.isNaN(time));
  // Without any pod the Job cannot make one: a quota, a policy. Another could not either.
  return ends.length > 0 && now - Math.max(...ends) >= FOLLOWED_MS ? "stalled" : "starting";
}

function works(pod: Pod): boolean {
  const ready = pod.status?.conditions?.some((condition) => condition.type === "Ready" && isTrue(condition));
  return pod.status?.phase === "Running" && Boolean(ready) && !pod.metadata.deletionTimestamp;
}

/** When a pod ended; for one on a node that is lost, when it was last heard of. */
function endOf(pod: Pod): number {
  const finished = (pod.status?.containerStatuses ?? []).flatMap(({ state }) => state?.terminated?.finishedAt ?? []);
  const unready = (pod.status?.conditions ?? []).filter(({ type, status }) => type === "Ready" && status !== "True");
  const times = [...finished, ...unready.flatMap(({ lastTransitionTime }) => lastTransitionTime ?? [])];
  return Math.max(...[...times, pod.metadata.creationTimestamp].map((time) => Date.parse(time)));
}

function isTrue({ status }: { status: string }): boolean {
  return status === "True";
}
