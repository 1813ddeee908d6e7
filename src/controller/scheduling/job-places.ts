import { type JobResource, labels } from "../../schema/resources.ts";
import { hasEnded } from "../jobs/pod-health.ts";
import { type CheckerStage, checkerStages, type PerStage } from "./grant.ts";

/** What one Job of a checker stage has. */
export type JobPlaces = {
  reportId: string;
  stage: CheckerStage;
  /** Pods that it may have. */
  parallelism: number;
  /** Places that its pods have or may take: a pod that is still ending has its place until it is gone. */
  held: number;
  /** All pods that it may have are seen. */
  settled: boolean;
};

/** @returns undefined for a Job that needs no checker's place: a crawler's, or one that has ended */
export function placesOf(job: JobResource): JobPlaces | undefined {
  const reportId = job.metadata.labels?.[labels.report];
  const stage = checkerStages.find((name) => name === job.metadata.labels?.[labels.stage]);
  if (reportId === undefined || stage === undefined || hasEnded(job)) return undefined;
  const { active = 0, terminating = 0 } = job.status ?? {};
  const parallelism = job.spec.parallelism ?? 1;
  const pods = active + terminating;
  return { reportId, stage, parallelism, held: Math.max(parallelism, pods), settled: pods >= parallelism };
}

/** Adds up one number of several Jobs by their stages. */
export function byStage(jobs: Iterable<JobPlaces>, number: "parallelism" | "held"): PerStage {
  const total: PerStage = {};
  for (const job of jobs) total[job.stage] = (total[job.stage] ?? 0) + job[number];
  return total;
}

/** The greater of the two numbers of each stage. */
export function maxByStage(a: PerStage, b: PerStage): PerStage {
  const max: PerStage = { ...a };
  for (const stage of checkerStages) {
    const number = b[stage];
    if (number !== undefined) max[stage] = Math.max(max[stage] ?? 0, number);
  }
  return max;
}
