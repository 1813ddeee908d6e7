import { jobEnd } from "../../cluster/job-end.ts";
import type { LastJobs } from "../../database/tables.ts";
import { annotations, type JobResource, labels, type ReportStatus, type Stage } from "../../schema/resources.ts";

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
 * Combines both sources of the run: the status knows Jobs that are gone, and a Job may be newer than the status.
 *
 * @param lastJobs the last Jobs that were recorded, for stages whose Job is gone
 */
export function viewStage(
  stage: Stage,
  jobs: readonly JobResource[],
  runs: ReportStatus["runs"],
  lastJobs: LastJobs = {},
): StageView {
  // A restored resource may have no status.
  const remembered = Math.max(runs?.[stage] ?? 0, lastJobs[stage]?.run ?? 0);
  const ofStage = jobs.filter((job) => job.metadata.labels?.[labels.stage] === stage);
  const last = ofStage.toSorted((a, b) => runOf(b) - runOf(a))[0];
  if (!last || runOf(last) < remembered) {
    if (remembered === 0) return { run: 0, attempt: 0, state: "none" };
    // Jobs after the recorded one count as attempts: a controller that was killed before it recorded them left nothing else.
    const recorded = lastJobs[stage] ?? { run: 0, attempt: 0, done: 0 };
    const attempt = recorded.attempt + Math.max(0, remembered - recorded.run);
    return { run: remembered, attempt, state: "missing", done: recorded.done };
  }
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
