import type { Backoff } from "../../domain/backoff.ts";
import { exitCodes } from "../../domain/errors.ts";
import type { JobResource } from "../../schema/resources.ts";
import type { Logger } from "../../telemetry/log.ts";
import { createNotifier } from "../../time/notifier.ts";
import { retry } from "../../time/retry.ts";
import type { Pod } from "../core-resources.ts";
import { jobEnd } from "../job-end.ts";
import { type Cluster, isClusterError } from "../port.ts";
import type { CoreSlots } from "./core-slots.ts";
import { resolveContainer } from "./environment.ts";
import { type JobDecision, type JobState, planJob } from "./job-plan.ts";
import type { LocalNode } from "./node.ts";
import { type PodExit, type PodProcess, type RunInside, startPod } from "./pod.ts";
import { podMetadata, runningPod, waitingPod } from "./pod-object.ts";
import type { PrestartedProcesses } from "./prestarted.ts";

export type RunningJobOptions = {
  cluster: Cluster;
  log: Logger;
  /** The process for a container's arguments. */
  command: (args: string[]) => { file: string; args: string[] };
  /** What every process has in its environment, such as PATH. The container's variables are not among it. */
  environment: Record<string, string>;
  /** Processes of this environment that wait for Jobs. */
  prestarted?: Pick<PrestartedProcesses, "take"> | undefined;
  /** Runs programs in this process, which then need none of their own. */
  inside?: RunInside | undefined;
  /** Has the Secrets for `valueFrom.secretKeyRef`, which are never written into a Job. */
  node: LocalNode;
  onLine: (line: string) => void;
  /** Shares this machine's cores among the processes. */
  cores: CoreSlots;
  backoffMs: number;
  graceMs: number;
};

export type RunningJob = {
  /** Takes over a change of the Job. */
  update(job: JobResource): void;
  /** Its processes as pods, including one that waits for a Secret. */
  pods(): Pod[];
  /** Stops the processes, waits for their end, and writes nothing more: the Job is gone or the service stops. */
  stop(): Promise<void>;
};

/** Exit codes of pods, as in podFailurePolicy of the Jobs' spec: FailJob and Ignore. */
const { usage: EXIT_FATAL, environment: EXIT_ENVIRONMENT } = exitCodes;
const ENVIRONMENT_MESSAGE = "this machine has too little memory, processes or open files, or no database; see the log";
const WRITE_BACKOFF: Backoff = { baseMs: 250, maxMs: 1_000 };
/** A Secret may be created after the Job that refers to it: how soon to check again. */
const SECRET_POLL_MS = 100;

/** Runs one Job until it is finished and its TTL is over, or until it is stopped. */
export function runJob(options: RunningJobOptions, job: JobResource): RunningJob {
  const { cluster, log } = options;
  const notifier = createNotifier();
  const pods = new Map<PodProcess, Pod["metadata"]>();
  /** Pods that parallelism no longer allows: they are not counted when they end. */
  const terminating = new Set<PodProcess>();
  const halted = new AbortController();
  let current = job;
  let stopped = false;
  let fatal: string | undefined;
  /** The pod that cannot start because a reference is missing, and a message about it. */
  let waiting: { metadata: Pod["metadata"]; message: string } | undefined;
  let lastFailureAt: number | undefined;
  /** Pods in a row that this machine did not let work, and the last of them. */
  let interrupted = 0;
  let broken: { metadata: Pod["metadata"]; message: string } | undefined;
  // Pods of an earlier service ended with it; those that had ended before still count.
  let { succeeded = 0, failed = 0 } = job.status ?? {};
  const startTime = job.status?.startTime ?? new Date().toISOString();
  // Intervals are measured by the monotonic clock: the machine's own may be put back or forward meanwhile.
  const startedAt = performance.now() - Math.max(0, Date.now() - Date.parse(startTime));

  function start(): void {
    const container = current.spec.template.spec.containers[0];
    if (!container) {
      fatal = "The Job has no container.";
      return;
    }
    const { args, env, missing } = resolveContainer(container, options.node);
    if (missing !== undefined) {
      // As kubelet does: a pod that lacks a Secret waits for it.
      if (waiting?.message !== missing) log.debug("pod waits", { job: current.metadata.name, reason: missing });
      waiting = { metadata: waiting?.metadata ?? podMetadata(current), message: missing };
      return;
    }
    const pod = startPod({
      args,
      command: options.command,
      prestarted: options.prestarted,
      inside: options.inside,
      env: options.environment,
      variables: env,
      graceMs: options.graceMs,
      onLine: options.onLine,
      cores: options.cores,
    });
    log.debug("pod started", { job: current.metadata.name, pid: pod.pid });
    pods.set(pod, waiting?.metadata ?? podMetadata(current));
    waiting = undefined;
    broken = undefined;
    pod.exited.then((exit) => ended(pod, exit));
  }

  function ended(pod: PodProcess, { code, detail, moved }: PodExit): void {
    const metadata = pods.get(pod) ?? podMetadata(current);
    const active = pods.delete(pod);
    terminating.delete(pod);
    notifier.notify();
    if (stopped) return;
    if (!active) {
      log.debug("pod ended after parallelism was lowered", { job: current.metadata.name, pid: pod.pid, detail });
      return;
    }
    if (moved) return;
    log.log(code === 0 ? "debug" : "warn", "pod ended", { job: current.metadata.name, pid: pod.pid, detail });
    if (code === 0) {
      succeeded++;
      return;
    }
    lastFailureAt = performance.now();
    if (code === EXIT_ENVIRONMENT || pod.pid === undefined) {
      interrupted++;
      broken = { metadata, message: pod.pid === undefined ? detail : ENVIRONMENT_MESSAGE };
      return;
    }
    interrupted = 0;
    failed++;
    if (code === EXIT_FATAL) fatal = `A pod ended with exit code ${EXIT_FATAL}: a retry cannot help.`;
  }

  /** Until the Job's end: decide, act, write the status, wait for a change. */
  async function work(): Promise<void> {
    while (!stopped && finishedAt(current) === undefined) {
      const decision = planJob(state(), performance.now());
      act(decision);
      // The Job cannot be started: decide again with that knowledge.
      if (fatal && decision.start > 0) continue;
      await show(decision);
      if (decision.finish) continue;
      const delay = delayUntil(decision.recheckAt);
      await notifier.wait(waiting ? Math.min(SECRET_POLL_MS, delay) : delay);
    }
  }

  function act(decision: JobDecision): void {
    if (decision.stopAll) for (const pod of pods.keys()) pod.stop();
    // The youngest first, as in Kubernetes: they have done the least work.
    for (const pod of [...pods.keys()].reverse().slice(0, decision.stop ?? 0)) {
      pods.delete(pod);
      terminating.add(pod);
      pod.stop();
    }
    if (decision.start === 0) waiting = undefined;
    for (let n = 0; n < decision.start && !fatal; n++) {
      start();
      if (waiting) return;
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
      parallelism,
      backoffLimit,
      active: pods.size,
      terminating: terminating.size,
      succeeded,
      failed,
      interrupted,
      startedAt,
      backoffMs: options.backoffMs,
      ...(activeDeadlineSeconds === undefined ? {} : { activeDeadlineSeconds }),
      ...(lastFailureAt === undefined ? {} : { lastFailureAt }),
      ...(fatal === undefined ? {} : { fatal }),
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
      const status: JobResource["status"] = {
        active: pods.size,
        terminating: terminating.size,
        succeeded,
        failed,
        startTime,
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
    for (const pod of pods.keys()) pod.stop();
    waiting = undefined;
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
    pods() {
      const name = current.spec.template.spec.containers[0]?.name ?? "";
      const running = [...pods.values()].map((metadata) => runningPod(metadata, name));
      const idle = waiting
        ? [waitingPod(waiting, name, "CreateContainerConfigError")]
        : broken
          ? [waitingPod(broken, name, "BrokenEnvironment")]
          : [];
      return [...running, ...idle];
    },
    async stop() {
      halt();
      await done;
      await Promise.all([...pods.keys(), ...terminating].map((pod) => pod.exited));
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
