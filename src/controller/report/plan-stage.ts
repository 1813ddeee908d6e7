import type { ReportProgress } from "../../database/reports/progress.ts";
import { type Backoff, backoffDelay } from "../../domain/backoff.ts";
import type { Failure } from "../../domain/failure.ts";
import { plural } from "../../domain/plural.ts";
import { isCrawlOver } from "../../domain/report-over.ts";
import { annotations, type JobResource, type Stage } from "../../schema/resources.ts";
import type { Idleness } from "../jobs/idle.ts";
import type { JobOrder } from "../jobs/manifest.ts";
import { type CheckerStage, type Grant, kindOfStage } from "../scheduling/grant.ts";
import type { EarlyEnd } from "./early-end.ts";
import type { ReportEvent } from "./events.ts";
import type { StageView } from "./stage.ts";

/** What to do about one stage of a report. */
export type Step = {
  /** A Job to remove before anything else is done. */
  remove?: JobResource;
  order?: JobOrder;
  /** A Job to continue with more or fewer pods. */
  scale?: { job: JobResource; parallelism: number };
  /** Why the rest of the stage's work is given up, if it is. */
  abandon?: Failure;
  stopReason?: string;
  event?: ReportEvent;
  /** The stage's next Job has to wait for a while: no event says when that is over. */
  pauses?: true;
};

/** What the decision about a stage depends on. */
export type StageInput = {
  row: ReportProgress;
  view: StageView;
  grant: Grant;
  /** Set when its Job has no working pod. */
  idle: Idleness | undefined;
  /** For how long its Job has been seen ended, in milliseconds; undefined while it runs. */
  endedMs: number | undefined;
  /** A digest of the current settings for pods. */
  template: string;
  jobBackoff: Backoff;
};

/** How many Jobs in a row may make little progress before the work is given up. */
export const MAX_ATTEMPTS = 6;
/** A Job with this many pages or checks has made progress, however it ended: a long report may lose many pods. */
const MIN_PROGRESS = 25;

export function planCrawl(input: StageInput): Step {
  const { row, view, grant } = input;
  if (isCrawlOver(row.crawlState)) return {};
  const done = row.pages;
  if (view.state === "none")
    return grant.run ? { order: { stage: "crawler", run: 1, attempt: 1, parallelism: 1, done } } : {};
  // The frontier (the URLs still to be visited) is stored, so another crawler continues from it.
  const next = followUp("crawler", input, done);
  if (next.state === "working") return {};
  if (next.state === "pausing") return { pauses: true };
  if (next.state === "follow")
    return {
      ...next.step,
      order: { stage: "crawler", run: view.run + 1, attempt: next.attempt, parallelism: 1, done },
    };
  const why = view.message ?? "The Job ended before the crawl was over.";
  return {
    ...next.step,
    abandon: { code: "crawler_crashed", detail: `The crawler was given up ${afterJobs(view)}. ${why}` },
    stopReason: "CrawlerFailed",
  };
}

export function planChecks(stage: CheckerStage, input: StageInput): Step {
  const { row, view, grant } = input;
  const { pending, checked, failed } = row.checks[kindOfStage(stage)];
  // A Job with parallelism 0 never ends: its last pod was stopped just when the last check ended.
  if (isCrawlOver(row.crawlState) && pending === 0)
    return view.state === "active" && view.job?.spec.parallelism === 0 ? { remove: view.job } : {};
  const parallelism = grant.checkers[stage];
  const done = checked + failed;
  const next = followUp(stage, input, done);
  if (next.state === "working") return scaleTo(parallelism, view);
  if (next.state === "pausing") return { pauses: true };
  if (next.state === "follow") {
    // A Job without pods holds no slot. It is kept, because it records the number of attempts.
    if (!grant.run || !parallelism) return view.state === "active" ? scaleTo(parallelism, view) : {};
    return { ...next.step, order: { stage, run: view.run + 1, attempt: next.attempt, parallelism, done } };
  }
  // The crawl may still add pages; their checks are given up as they are added.
  if (pending === 0) return { ...next.step, stopReason: "CheckerFailed" };
  const why = view.message ?? "The Job ended while checks remained.";
  return {
    ...next.step,
    abandon: { code: "checker_crashed", detail: `The ${stage} was given up ${afterJobs(view)}. ${why}` },
    stopReason: "CheckerFailed",
  };
}

/** The report ends early: what is left of the stage's work is given up, and its Job removed. */
export function planEarlyEnd(stage: Stage, { row, view }: StageInput, { failure, stopReason }: EarlyEnd): Step {
  const remove = view.state === "active" && view.job ? { remove: view.job } : {};
  const isOver = isCrawlOver(row.crawlState) && (stage === "crawler" || row.checks[kindOfStage(stage)].pending === 0);
  if (isOver) return remove;
  return { ...remove, abandon: failure, stopReason };
}

function afterJobs({ run }: StageView): string {
  return `after ${plural(run, "Job")}`;
}

function scaleTo(parallelism: number | undefined, { job }: StageView): Step {
  const changes = parallelism !== undefined && parallelism !== (job?.spec.parallelism ?? 1);
  return job && changes ? { scale: { job, parallelism } } : {};
}

type FollowUp =
  | { state: "working" }
  | { state: "pausing" }
  | { state: "follow"; attempt: number; step: Pick<Step, "remove" | "event"> }
  | { state: "give-up"; step: Pick<Step, "remove"> };

/** Whether a Job is still working on its stage, is followed by another, now or after a pause, or was the last. */
function followUp(stage: Stage, input: StageInput, done: number): FollowUp {
  const { view, idle, template } = input;
  const { job } = view;
  if (view.state === "active") {
    if (!job || !idle) return { state: "working" };
    const name = job.metadata.name;
    if (job.metadata.annotations?.[annotations.template] !== template) {
      const message = `${name} had no working pod, and the settings of its pods have changed: another Job is created.`;
      const event = { type: "Normal", reason: "JobReplaced", message } as const;
      return { state: "follow", attempt: Math.max(1, view.attempt), step: { remove: job, event } };
    }
    if (idle !== "stalled") return { state: "working" };
  }
  const remove = view.state === "active" && job ? { remove: job } : {};
  // Exit code 2 means that a retry cannot help.
  if (view.state === "failed" && view.reason === "PodFailurePolicy" && view.attempt > 0)
    return { state: "give-up", step: remove };
  const attempt = madeProgress(view, done) ? 1 : view.attempt + 1;
  if (attempt > MAX_ATTEMPTS) return { state: "give-up", step: remove };
  if (hasToPause(input, attempt)) return { state: "pausing" };
  if (view.attempt === 0) return { state: "follow", attempt, step: remove };
  const message = `${job?.metadata.name ?? `A Job of the ${stage}`} ${endOf[view.state]}: another Job continues (attempt ${attempt} of ${MAX_ATTEMPTS} without progress).`;
  return { state: "follow", attempt, step: { ...remove, event: { type: "Warning", reason: "JobRetried", message } } };
}

/** Whether the next Job has to wait. */
function hasToPause({ endedMs, jobBackoff }: StageInput, attempt: number): boolean {
  return endedMs !== undefined && attempt >= 3 && endedMs < backoffDelay(attempt - 3, 1, jobBackoff);
}

const endOf: Record<StageView["state"], string> = {
  none: "does not exist",
  active: "has no working pod any more",
  complete: "ended before its work was done",
  failed: "failed",
  missing: "was removed before its work was done",
};

function madeProgress({ done: before }: StageView, done: number): boolean {
  return before !== undefined && done - before >= MIN_PROGRESS;
}
