import type { CoreResources, Pod } from "../../cluster/core-resources.ts";
import { type JobResource, labels } from "../../schema/resources.ts";
import { type Idleness, idleness } from "./idle.ts";

/** Why a report's pods do not do their work. */
export type PodProblem = { reason: string; message: string };

/** What a look at a report's pods showed. */
export type PodsView = {
  trouble?: PodProblem | undefined;
  /** Jobs of which no pod works, by name. */
  idle: ReadonlyMap<string, Idleness>;
};

/** A look at pods costs a request; status is mirrored more often than pods change. */
const LOOK_MS = 5_000;

const IMAGE_REASONS = ["ImagePullBackOff", "ErrImagePull", "ErrImageNeverPull", "InvalidImageName"];
const START_REASONS = ["CreateContainerConfigError", "CreateContainerError", "RunContainerError"];

/** What is wrong with the pods of Jobs that run; the worst first: what never starts, then what ended. */
export function podProblem(pods: readonly Pod[]): PodProblem | undefined {
  const waiting = pods.flatMap((pod) =>
    containersOf(pod).flatMap(({ state }) => (state?.waiting ? [{ pod, ...state.waiting }] : [])),
  );
  const image = waiting.find(({ reason = "" }) => IMAGE_REASONS.includes(reason));
  if (image) return { reason: "ImagePullBackOff", message: sentence(image.pod, image.message ?? "has no image") };
  const start = waiting.find(({ reason = "" }) => START_REASONS.includes(reason));
  if (start?.reason) return { reason: start.reason, message: sentence(start.pod, start.message ?? "cannot start") };

  for (const pod of pods) {
    const unscheduled = unschedulable(pod);
    if (unscheduled)
      return { reason: "Unschedulable", message: sentence(pod, unscheduled.message ?? "no node has room for it") };
  }

  // Of those that ended the last one counts: an earlier one was followed by another.
  const last = pods.toSorted((a, b) => b.metadata.creationTimestamp.localeCompare(a.metadata.creationTimestamp));
  for (const pod of last) {
    const killed = containersOf(pod).find(
      ({ state, lastState }) => (state?.waiting ? lastState : state)?.terminated?.reason === "OOMKilled",
    );
    if (killed)
      return {
        reason: "OOMKilled",
        message: sentence(pod, `${killed.name} used more memory than its limit and was ended; raise jobs.resources`),
      };
  }
  return undefined;
}

/** What the scheduler said of a pod that it finds no place for. */
function unschedulable({ status }: Pod) {
  if (status?.phase !== "Pending") return undefined;
  return status.conditions?.find(
    (condition) =>
      condition.type === "PodScheduled" && condition.status === "False" && condition.reason === "Unschedulable",
  );
}

/** The browser beside the program is among those that init. */
function containersOf({ status }: Pod) {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
}

function sentence({ metadata }: Pod, what: string): string {
  return `Pod ${metadata.name}: ${what}`;
}

/** True of a Job that runs and could not make the pods that it should have. */
function isStuck(job: JobResource): boolean {
  return !job.status?.active && !job.status?.succeeded;
}

/** Looks at the pods of a report's Jobs, each report at most every few seconds. */
export function createPodsLookup(
  core: Pick<CoreResources, "listPods" | "creationFailures">,
  namespace: string,
  now: () => number = Date.now,
): (id: string, jobs: readonly JobResource[]) => Promise<PodsView> {
  const seen = new Map<string, { at: number; view: PodsView }>();

  async function look(id: string, jobs: readonly JobResource[]): Promise<PodsView> {
    const pods = await core.listPods(namespace, `${labels.report}=${id}`);
    const podsOf = ({ metadata }: JobResource) =>
      pods.filter((pod) => pod.metadata.labels?.["job-name"] === metadata.name);
    // One that may have no pods now lacks none.
    const active = jobs.filter((job) => !hasEnded(job) && job.spec.parallelism !== 0);
    const idle = new Map<string, Idleness>();
    for (const job of active) {
      const how = idleness(job, podsOf(job), now());
      if (how) idle.set(job.metadata.name, how);
    }
    // A Job that works and could have more pods only takes longer.
    const telling = active.flatMap((job) =>
      idle.has(job.metadata.name) ? podsOf(job) : podsOf(job).filter((pod) => !unschedulable(pod)),
    );
    return { trouble: podProblem(telling) ?? (await creationProblem(active)), idle };
  }

  async function creationProblem(jobs: readonly JobResource[]): Promise<PodProblem | undefined> {
    for (const job of jobs) {
      if (!isStuck(job)) continue;
      const message = (await core.creationFailures(namespace, job.metadata.uid)).at(-1);
      if (message === undefined) continue;
      return { reason: message.includes("exceeded quota") ? "QuotaExceeded" : "PodsNotCreated", message };
    }
    return undefined;
  }

  return async (id, jobs) => {
    const time = now();
    for (const [key, { at }] of seen) if (time - at > 10 * LOOK_MS) seen.delete(key);
    const before = seen.get(id);
    if (before && Math.abs(time - before.at) < LOOK_MS) return before.view;
    const view = await look(id, jobs);
    seen.set(id, { at: time, view });
    return view;
  };
}

export function hasEnded(job: JobResource): boolean {
  return (job.status?.conditions ?? []).some(
    ({ type, status }) => status === "True" && (type === "Complete" || type === "Failed"),
  );
}
