import { exitCodes } from "../../domain/errors.ts";
import type { JobResource } from "../../schema/resources.ts";
import type { Logger } from "../../telemetry/log.ts";
import type { Pod } from "../core-resources.ts";
import type { CoreSlots } from "./core-slots.ts";
import { resolveContainer } from "./environment.ts";
import type { JobDecision, JobState } from "./job-plan.ts";
import type { LocalNode } from "./node.ts";
import { type PodExit, type PodProcess, type RunInside, startPod } from "./pod.ts";
import { podMetadata, runningPod, waitingPod } from "./pod-object.ts";
import type { PrestartedProcesses } from "./prestarted.ts";

export type JobPodsOptions = {
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
  graceMs: number;
};

/** What has become of a Job's pods, as far as a decision about the Job depends on it. */
export type PodCounts = Pick<
  JobState,
  "active" | "terminating" | "succeeded" | "failed" | "interrupted" | "fatal" | "lastFailureAt"
>;

/** The processes of one Job. */
export type JobPods = {
  counts(): PodCounts;
  /** Starts and stops pods as decided. A Job that cannot be started is fatal afterwards. */
  act(decision: JobDecision): void;
  /** Whether a pod waits for a Secret. */
  isWaiting(): boolean;
  /** As pods of a cluster, including one that waits or could not work. */
  shown(): Pod[];
  /** Stops all. Their ends count no more. */
  halt(): void;
  /** Resolves when all processes have ended. */
  ended(): Promise<unknown>;
};

/** Exit codes of pods, as in podFailurePolicy of the Jobs' spec: FailJob and Ignore. */
const { usage: EXIT_FATAL, environment: EXIT_ENVIRONMENT } = exitCodes;
const ENVIRONMENT_MESSAGE = "this machine has too little memory, processes or open files, or no database; see the log";

type Idle = { metadata: Pod["metadata"]; message: string };

/**
 * @param job the Job as it is now
 * @param before what had become of its pods in an earlier service
 * @param onEnd called when a process has ended
 */
export function createJobPods(
  options: JobPodsOptions,
  job: () => JobResource,
  { before, onEnd }: { before: { succeeded: number; failed: number }; onEnd: () => void },
): JobPods {
  const { log } = options;
  const pods = new Map<PodProcess, Pod["metadata"]>();
  /** Pods that parallelism no longer allows: they are not counted when they end. */
  const terminating = new Set<PodProcess>();
  let { succeeded, failed } = before;
  let halted = false;
  let fatal: string | undefined;
  /** The pod that cannot start because a reference is missing. */
  let waiting: Idle | undefined;
  let lastFailureAt: number | undefined;
  /** Pods in a row that this machine did not let work, and the last of them. */
  let interrupted = 0;
  let broken: Idle | undefined;

  function start(): void {
    const current = job();
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
    const { command, prestarted, inside, environment, graceMs, onLine, cores } = options;
    const pod = startPod({
      args,
      command,
      prestarted,
      inside,
      env: environment,
      variables: env,
      graceMs,
      onLine,
      cores,
    });
    log.debug("pod started", { job: current.metadata.name, pid: pod.pid });
    pods.set(pod, waiting?.metadata ?? podMetadata(current));
    waiting = undefined;
    broken = undefined;
    pod.exited.then((exit) => ended(pod, exit));
  }

  function ended(pod: PodProcess, { code, detail, moved }: PodExit): void {
    const about = { job: job().metadata.name, pid: pod.pid, detail };
    const metadata = pods.get(pod) ?? podMetadata(job());
    const active = pods.delete(pod);
    terminating.delete(pod);
    onEnd();
    if (halted) return;
    if (!active) log.debug("pod ended after parallelism was lowered", about);
    else if (!moved) {
      log.log(code === 0 ? "debug" : "warn", "pod ended", about);
      count(pod, metadata, { code, detail });
    }
  }

  function count(pod: PodProcess, metadata: Pod["metadata"], { code, detail }: Pick<PodExit, "code" | "detail">): void {
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

  return {
    counts: () => ({
      ...{ active: pods.size, terminating: terminating.size, succeeded, failed, interrupted },
      ...(lastFailureAt === undefined ? {} : { lastFailureAt }),
      ...(fatal === undefined ? {} : { fatal }),
    }),
    act(decision) {
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
    },
    isWaiting: () => waiting !== undefined,
    shown() {
      const name = job().spec.template.spec.containers[0]?.name ?? "";
      const running = [...pods.values()].map((metadata) => runningPod(metadata, name));
      if (waiting) return [...running, waitingPod(waiting, name, "CreateContainerConfigError")];
      return broken ? [...running, waitingPod(broken, name, "BrokenEnvironment")] : running;
    },
    halt() {
      halted = true;
      for (const pod of pods.keys()) pod.stop();
      waiting = undefined;
    },
    ended: () => Promise.all([...pods.keys(), ...terminating].map((pod) => pod.exited)),
  };
}
