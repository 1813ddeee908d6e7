import { availableParallelism } from "node:os";
import type { JobResource } from "../../schema/resources.ts";
import { follow } from "../follow.ts";
import { createCoreSlots } from "./core-slots.ts";
import { type RunningJob, type RunningJobOptions, runJob } from "./running-job.ts";

export type JobRunnerOptions = Omit<RunningJobOptions, "backoffMs" | "graceMs" | "cores"> & {
  namespace: string;
  /** How many cores the processes share; by default this machine's. */
  coreCount?: number;
  /** The wait after a Job's first failed pod; doubles with each failure. Short, because causes are often local. */
  backoffMs?: number;
  /** Time between SIGTERM and SIGKILL. */
  graceMs?: number;
};

export type JobRunner = {
  /** Runs the Jobs of the local cluster until `signal` aborts; then stops all processes and waits for their end. */
  run(signal: AbortSignal): Promise<void>;
};

/**
 * The counterpart of the kubelet and the Job controller: runs Jobs as child processes of this
 * machine. Jobs that were active when an earlier service ended are started again.
 */
export function createJobRunner(options: JobRunnerOptions): JobRunner {
  const { cluster, log, namespace, coreCount = availableParallelism(), backoffMs = 1_000, graceMs = 10_000 } = options;
  const cores = createCoreSlots(coreCount);

  return {
    async run(signal) {
      const jobs = new Map<string, RunningJob>();
      const { node } = options;
      const ending = new Set<Promise<void>>();

      const seen = (job: JobResource) => {
        const running = jobs.get(job.metadata.uid);
        if (running) running.update(job);
        else if (!signal.aborted) {
          const started = runJob({ ...options, cores, backoffMs, graceMs }, job);
          jobs.set(job.metadata.uid, started);
          node.jobs.set(job.metadata.uid, started);
        }
      };
      const gone = (uid: string) => {
        const running = jobs.get(uid);
        if (!running) return;
        jobs.delete(uid);
        const ended = running.stop().finally(() => {
          node.jobs.delete(uid);
          ending.delete(ended);
        });
        ending.add(ended);
      };

      try {
        await follow(cluster, "Job", signal, {
          namespace,
          log,
          onList(items) {
            const present = new Set(items.map((job) => job.metadata.uid));
            for (const uid of jobs.keys()) if (!present.has(uid)) gone(uid);
            for (const job of items) seen(job);
          },
          onEvent(type, job) {
            if (type === "DELETED") gone(job.metadata.uid);
            else seen(job);
          },
        });
      } finally {
        for (const uid of jobs.keys()) gone(uid);
        await Promise.all(ending);
      }
    },
  };
}
