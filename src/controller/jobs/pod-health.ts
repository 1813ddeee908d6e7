import type { CoreResources, Pod } from "../../cluster/core-resources.ts";
import { hasJobEnded } from "../../cluster/job-end.ts";
import { exitCodes } from "../../domain/errors.ts";
import { type JobResource, labels } from "../../schema/resources.ts";
import { type Idleness, idleness, lacksPods } from "./idle.ts";

/** Why a report's pods do not work. */
export type PodProblem = { reason: string; message: string };

/** The state of a report's pods. */
export type PodsView = {
  trouble?: PodProblem | undefined;
  /** Jobs without a working pod, by name. */
  idle: ReadonlyMap<string, Idleness>;
};

/** Reading pods costs a request; the status is updated more often than pods change. */
const MIN_INTERVAL_MS = 5_000;

/** What was read of a report's pods. */
type Reading = {
  /** When, in milliseconds of a clock that nobody sets. */
  at: number;
  view: PodsView;
  /** Since when Jobs were seen to lack pods, by name. */
  lackingSince: ReadonlyMap<string, number>;
};

const IMAGE_REASONS = ["ImagePullBackOff", "ErrImagePull", "ErrImageNeverPull", "InvalidImageName"];
const START_REASONS = ["CreateContainerConfigError", "CreateContainerError", "RunContainerError", "BrokenEnvironment"];

/** The worst problem of the pods of running Jobs: first pods that cannot start, then pods that ended. */
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

  // The newest pods come first: earlier ones were replaced.
  const last = pods.toSorted((a, b) => b.metadata.creationTimestamp.localeCompare(a.metadata.creationTimestamp));
  for (const pod of last) {
    const killed = containersOf(pod).find(
      ({ state, lastState }) => (state?.waiting ? lastState : state)?.terminated?.reason === "OOMKilled",
    );
    if (killed)
      return {
        reason: "OOMKilled",
        message: sentence(pod, `${killed.name} used more memory than its limit and was killed; raise jobs.resources`),
      };
    const broken = containersOf(pod).some(({ state }) => state?.terminated?.exitCode === exitCodes.environment);
    if (broken)
      return {
        reason: "BrokenEnvironment",
        message: sentence(
          pod,
          "its node has too little memory, processes or open files, or the database cannot be reached; see its log",
        ),
      };
  }
  return undefined;
}

/** The scheduler's condition for a pod that fits on no node. */
function unschedulable({ status }: Pod) {
  if (status?.phase !== "Pending") return undefined;
  return status.conditions?.find(
    (condition) =>
      condition.type === "PodScheduled" && condition.status === "False" && condition.reason === "Unschedulable",
  );
}

/** The browser is a sidecar, so it is one of the init containers. */
function containersOf({ status }: Pod) {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
}

function sentence({ metadata }: Pod, what: string): string {
  return `Pod ${metadata.name}: ${what}`;
}

/** True for a running Job without pods. */
function isStuck(job: JobResource): boolean {
  return !job.status?.active && !job.status?.succeeded;
}

/** True for a Job whose pods are all ready and have never failed. (A failed pod is read, because it may say why.) */
function isWhole({ spec, status }: JobResource): boolean {
  return (status?.ready ?? 0) >= (spec.parallelism ?? 1) && !status?.failed;
}

/**
 * Reads the state of the pods of a report's Jobs, at most every few seconds per report.
 *
 * @param now milliseconds of a clock that nobody sets
 */
export function createPodsLookup(
  core: Pick<CoreResources, "listPods" | "creationFailures">,
  namespace: string,
  now: () => number = () => performance.now(),
): (id: string, jobs: readonly JobResource[]) => Promise<PodsView> {
  const seen = new Map<string, Reading>();

  /** @returns undefined when nothing had to be read */
  async function readPods(id: string, jobs: readonly JobResource[]): Promise<Reading | undefined> {
    const before = seen.get(id);
    // A Job with parallelism 0 lacks no pods.
    const active = jobs.filter((job) => !hasJobEnded(job) && job.spec.parallelism !== 0);
    // Pods that are all ready need not be read, unless they were in trouble before, which may still show.
    if (active.length === 0 || (!before?.view.trouble && active.every(isWhole))) return undefined;
    const pods = await core.listPods(namespace, `${labels.report}=${id}`);
    const podsOf = ({ metadata }: JobResource) =>
      pods.filter((pod) => pod.metadata.labels?.["job-name"] === metadata.name);
    const at = now();
    const idle = new Map<string, Idleness>();
    const lackingSince = new Map<string, number>();
    for (const job of active) {
      const { name } = job.metadata;
      const since = before?.lackingSince.get(name) ?? at;
      if (lacksPods(job, podsOf(job))) lackingSince.set(name, since);
      const how = idleness(job, podsOf(job), at - since);
      if (how) idle.set(name, how);
    }
    // A working Job with an unschedulable pod only takes longer.
    const telling = active.flatMap((job) =>
      idle.has(job.metadata.name) ? podsOf(job) : podsOf(job).filter((pod) => !unschedulable(pod)),
    );
    const trouble = podProblem(telling) ?? (await creationProblem(active));
    return { at, view: { trouble, idle }, lackingSince };
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
    for (const [key, { at }] of seen) if (time - at > 10 * MIN_INTERVAL_MS) seen.delete(key);
    const before = seen.get(id);
    if (before && time - before.at < MIN_INTERVAL_MS) return before.view;
    const reading = await readPods(id, jobs);
    if (reading) seen.set(id, reading);
    // Nothing was read, so the next call may read at once.
    else seen.delete(id);
    return reading?.view ?? { trouble: undefined, idle: new Map() };
  };
}
