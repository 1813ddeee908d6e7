import { annotations, type JobResource, labels, type ReportStatus, type Stage } from "../../schema/resources.ts";

/** A stage of a report as its last Job shows it. */
export type StageView = {
  /** Number of the last Job made; 0 when none was. */
  run: number;
  /** How many Jobs in a row were made for the same work, the last one included. */
  attempt: number;
  /** `missing`: made once, and removed since. */
  state: "none" | "active" | "complete" | "failed" | "missing";
  job?: JobResource;
  /** Why the Job failed. */
  reason?: string;
  message?: string;
};

/** The status remembers the run of a Job that is gone; a Job shows a run that the status does not know yet. */
export function viewStage(stage: Stage, jobs: readonly JobResource[], runs: ReportStatus["runs"]): StageView {
  const remembered = runs?.[stage] ?? 0;
  const ofStage = jobs.filter((job) => job.metadata.labels?.[labels.stage] === stage);
  const last = ofStage.toSorted((a, b) => runOf(b) - runOf(a))[0];
  if (!last || runOf(last) < remembered) {
    return { run: remembered, attempt: remembered, state: remembered === 0 ? "none" : "missing" };
  }
  const end = last.status?.conditions?.find(
    ({ type, status }) => status === "True" && (type === "Complete" || type === "Failed"),
  );
  return {
    run: runOf(last),
    attempt: Number(last.metadata.annotations?.[annotations.attempt] ?? 1),
    state: end === undefined ? "active" : end.type === "Complete" ? "complete" : "failed",
    job: last,
    ...(end?.reason === undefined ? {} : { reason: end.reason }),
    ...(end?.message === undefined ? {} : { message: end.message }),
  };
}

function runOf(job: JobResource): number {
  return Number(job.metadata.labels?.[labels.run] ?? 0);
}
