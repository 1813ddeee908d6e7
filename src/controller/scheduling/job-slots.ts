import { hasJobEnded } from "../../cluster/job-end.ts";
import { type JobResource, labels } from "../../schema/resources.ts";
import { type CheckerStage, checkerStages, type PerStage } from "./grant.ts";

/** The slots of one checker Job. */
export type JobSlots = {
  /** The Job's uid. */
  uid: string;
  reportId: string;
  stage: CheckerStage;
  /** The most pods that it may have. */
  parallelism: number;
  /** Slots that its pods have or may take; a pod that is still ending keeps its slot until it is gone. */
  held: number;
  /** True when it already has as many pods as it may have. */
  allPodsExist: boolean;
};

/** @returns undefined for a Job without slots: a crawler's Job, or one that has ended */
export function slotsOf(job: JobResource): JobSlots | undefined {
  const reportId = job.metadata.labels?.[labels.report];
  const stage = checkerStages.find((name) => name === job.metadata.labels?.[labels.stage]);
  if (reportId === undefined || stage === undefined || hasJobEnded(job)) return undefined;
  const { active = 0, terminating = 0 } = job.status ?? {};
  const parallelism = job.spec.parallelism ?? 1;
  const pods = active + terminating;
  return {
    uid: job.metadata.uid,
    reportId,
    stage,
    parallelism,
    held: Math.max(parallelism, pods),
    allPodsExist: pods >= parallelism,
  };
}

/** Adds up one number of several Jobs by stage. */
export function byStage(jobs: Iterable<JobSlots>, number: "parallelism" | "held"): PerStage {
  const total: PerStage = {};
  for (const job of jobs) total[job.stage] = (total[job.stage] ?? 0) + job[number];
  return total;
}

/** The greater number of each stage. */
export function maxByStage(a: PerStage, b: PerStage): PerStage {
  const max: PerStage = { ...a };
  for (const stage of checkerStages) {
    const number = b[stage];
    if (number !== undefined) max[stage] = Math.max(max[stage] ?? 0, number);
  }
  return max;
}
