import type { Backoff } from "../../domain/backoff.ts";
import type { JobResource } from "../../schema/resources.ts";
import { createNotifier } from "../../time/notifier.ts";
import { retry } from "../../time/retry.ts";
import type { Pod } from "../core-resources.ts";
import { jobEnd } from "../job-end.ts";
import { type Cluster, isClusterError } from "../port.ts";
import { type JobDecision, type JobState, planJob } from "./job-plan.ts";
import { createJobPods, type JobPodsOptions } from "./job-pods.ts";

export type RunningJobOptions = JobPodsOptions & {
  cluster: Cluster;
  backoffMs: number;
};

export type RunningJob = {
  /** Takes over a change of the Job. */
  update(job: JobResource): void;
  /** Its processes as pods, including one that waits for a Secret. */
  pods(): Pod[];
  /** Stops the processes, waits for their end, and writes nothing more: the Job is gone or the service stops. */
  stop(): Promise<void>;
};

const WRITE_BACKOFF: Backoff = { baseMs: 250, maxMs: 1_000 };
/** A Secret may be created after the Job that refers to it: how soon to check again. */
const SECRET_POLL_MS = 100;

/** Runs one Job until it is finished and its TTL is over, or until it is stopped. */
export function runJob(options: RunningJobOptions, job: JobResource): RunningJob {
  const { cluster, log } = options;
  const notifier = createNotifier();
  const halted = new AbortController();
  let current = job;
  let stopped = false;
  // Pods of an earlier service ended with it; those that had ended before still count.
  const { succeeded = 0, failed = 0 } = job.status ?? {};
  const pods = createJobPods(options, () => current, { before: { succeeded, failed }, onEnd: () => notifier.notify() });
  const startTime = job.status?.startTime ?? new Date().toISOString();
  // Intervals are measured by the monotonic clock: the machine's own may be put back or forward meanwhile.
  const startedAt = performance.now() - Math.max(0, Date.now() - Date.parse(startTime));

  /** Until the Job's end: decide, act, write the status, wait for a change. */
  async function work(): Promise<void> {
    while (!stopped && finishedAt(current) === undefined) {
      const decision = planJob(state(), performance.now());
      pods.act(decision);
      // The Job cannot be started: decide again with that knowledge.
      if (pods.counts().fatal && decision.start > 0) continue;
      await show(decision);
      if (decision.finish) continue;
      const delay = delayUntil(decision.recheckAt);
      await notifier.wait(pods.isWaiting() ? Math.min(SECRET_POLL_MS, delay) : delay);
    }
  }

  /** After the Job's end: removes it when its TTL is over. */
  async function expire(): Promise<void> {
    const finished = finishedAt(current);
    const ttl = current.spec.ttlSecondsAfterFinished;
    if (finished === undefined || ttl === undefined) return;
    const due = performance.now() + Math.min(ttl * 1000, finished + ttl * 1000 - Date.now());
    while (!stopped && performance.now() < due) await notifier.wait(delayUntil(due));
    const { namespace, name, uid } = current.metadata;
    if (!stopped)
      await retrying("finished job not removed, trying again", () => cluster.delete("Job", namespace, name, { uid }));
  }

  function state(): JobState {
    const { parallelism = 1, backoffLimit = 6, activeDeadlineSeconds } = current.spec;
    return {
      ...pods.counts(),
      ...{ parallelism, backoffLimit, startedAt, backoffMs: options.backoffMs },
      ...(activeDeadlineSeconds === undefined ? {} : { activeDeadlineSeconds }),
    };
  }

  /** Retries while the database is unavailable: nothing else writes a Job's end. Rejects when it is halted meanwhile. */
  function retrying(message: string, write: () => Promise<void>): Promise<void> {
    return retry(write, {
      shouldRetry(error) {
        log.warn(message, { job: current.metadata.name, error });
        return true;
      },
      signal: halted.signal,
      backoff: WRITE_BACKOFF,
    });
  }

  function show(decision: JobDecision): Promise<void> {
    return retrying("job status not written, trying again", () => writeStatus(decision));
  }

  async function writeStatus({ finish }: JobDecision): Promise<void> {
    while (!stopped) {
      const now = new Date().toISOString();
      const { active, terminating, succeeded, failed } = pods.counts();
      const status: JobResource["status"] = {
        ...{ active, terminating, succeeded, failed, startTime },
        ...(finish?.type === "Complete" ? { completionTime: now } : {}),
        ...(finish ? { conditions: [{ ...finish, status: "True", lastTransitionTime: now }] } : {}),
      };
      if (sameCounts(current.status, status) && !finish) return;
      try {
        adopt(await cluster.updateStatus<"Job">({ ...current, status }));
        return;
      } catch (error) {
        if (!isClusterError(error, "Conflict") && !isClusterError(error, "NotFound")) throw error;
        await readAgain();
      }
    }
  }

  async function readAgain(): Promise<void> {
    const before = current;
    const { namespace, name, uid } = current.metadata;
    const fresh = await cluster.get("Job", namespace, name);
    if (fresh?.metadata.uid !== uid) return halt();
    // It has an older version after the database was restored.
    if (current === before) current = fresh;
    else adopt(fresh);
    // The watch's event of the same version counts as known: what it changed is decided on now.
    notifier.notify();
  }

  /** @returns false for a version that is not newer: the watch may be faster than the response to a request */
  function adopt(next: JobResource): boolean {
    if (BigInt(next.metadata.resourceVersion) <= BigInt(current.metadata.resourceVersion)) return false;
    current = next;
    return true;
  }

  function halt(): void {
    stopped = true;
    halted.abort();
    pods.halt();
    notifier.notify();
  }

  const done = work()
    .then(expire)
    .catch((error) => {
      // The wait for the next try of a write has ended.
      if (stopped) return;
      log.error("job runner failed", { job: current.metadata.name, error });
      halt();
    });
  return {
    update(next) {
      if (adopt(next)) notifier.notify();
    },
    pods: pods.shown,
    async stop() {
      halt();
      await done;
      await pods.ended();
    },
  };
}

/** When a Job ended, in milliseconds, or undefined while it has not. */
function finishedAt(job: JobResource): number | undefined {
  const end = jobEnd(job);
  return end && Date.parse(end.lastTransitionTime ?? job.status?.completionTime ?? job.metadata.creationTimestamp);
}

/** setTimeout accepts at most 2^31 - 1 ms. */
function delayUntil(time: number | undefined): number {
  return time === undefined ? 2 ** 31 - 1 : Math.min(2 ** 31 - 1, Math.max(0, time - performance.now()));
}

const counts = ["active", "terminating", "succeeded", "failed"] as const;

function sameCounts(a: JobResource["status"], b: JobResource["status"]): boolean {
  return a !== undefined && counts.every((count) => a[count] === b?.[count]);
}
