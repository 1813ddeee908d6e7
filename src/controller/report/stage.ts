import { jobEnd } from "../../cluster/job-end.ts";
import type { LastJobs } from "../../database/stored.ts";
import { annotations, type JobResource, labels, type Stage } from "../../schema/resources.ts";

/** The state of a stage, derived from its last Job. */
export type StageView = {
  /** The number of the last Job created; 0 when there was none. */
  run: number;
  /** How many Jobs in a row, the last one included, were created without much progress in between. */
  attempt: number;
  /** `missing`: created, and removed since. */
  state: "none" | "active" | "complete" | "failed" | "missing";
  job?: JobResource;
  /** How much of the work was done when the Job was created; undefined when that is not known. */
  done?: number;
  /** Why the Job failed. */
  reason?: string;
  message?: string;
};

/**
 * Combines both sources of the run: the row knows Jobs that are gone, and a Job may be newer than the row. The
 * resource's status only shows the run: it is not believed, because others may have written it.
 *
 * @param lastJobs the last Jobs that were recorded
 */
export function viewStage(stage: Stage, jobs: readonly JobResource[], lastJobs: LastJobs = {}): StageView {
  const recorded = lastJobs[stage];
  const ofStage = jobs.filter((job) => job.metadata.labels?.[labels.stage] === stage);
  const last = ofStage.toSorted((a, b) => runOf(b) - runOf(a))[0];
  if (recorded && (!last || runOf(last) < recorded.run)) return { ...recorded, state: "missing" };
  if (!last) return { run: 0, attempt: 0, state: "none" };
  const end = jobEnd(last);
  return {
    run: runOf(last),
    attempt: Number(last.metadata.annotations?.[annotations.attempt] ?? 1),
    state: end === undefined ? "active" : end.type === "Complete" ? "complete" : "failed",
    job: last,
    ...doneBefore(last),
    ...(end?.reason === undefined ? {} : { reason: end.reason }),
    ...(end?.message === undefined ? {} : { message: end.message }),
  };
}

function doneBefore({ metadata }: JobResource): Pick<StageView, "done"> {
  const done = metadata.annotations?.[annotations.done];
  return done === undefined ? {} : { done: Number(done) };
}

function runOf(job: JobResource): number {
  return Number(job.metadata.labels?.[labels.run] ?? 0);
}
