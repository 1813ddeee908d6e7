import type { ReportProgress } from "../../database/reports/progress.ts";
import type { CheckKind } from "../../domain/findings.ts";
import { annotations, type JobResource, type Stage } from "../../schema/resources.ts";
import type { Idleness } from "../jobs/idle.ts";
import type { JobOrder } from "../jobs/manifest.ts";
import type { CheckerStage, Grant } from "../scheduling/grant.ts";
import type { ReportEvent } from "./events.ts";
import type { StageView } from "./stage.ts";

/** What to do about one stage of a report: at most one of these, and why it is given up if it is. */
export type Step = {
  /** Removed before anything else is done. */
  remove?: JobResource;
  order?: JobOrder;
  /** Its Job goes on with more or fewer pods. */
  scale?: { job: JobResource; parallelism: number };
  /** The rest of the stage's work is failed, with this to say. */
  abandon?: string;
  stopReason?: string;
  event?: ReportEvent;
};

/** What the decision about a stage is made from. */
export type StageInput = {
  row: ReportProgress;
  view: StageView;
  grant: Grant;
  /** Set when no pod of its Job works. */
  idle: Idleness | undefined;
  /** Digest of the settings that pods are made from now. */
  template: string;
};

/** Jobs in a row for the same work that get little done, before it is given up. */
export const MAX_ATTEMPTS = 6;
/** With so many pages or checks done a Job was no failure, however it ended: a long report may lose many pods. */
const MUCH_DONE = 25;

export const checkKindOf: Record<CheckerStage, CheckKind> = { "html-checker": "html", "a11y-checker": "a11y" };

export function planCrawl({ row, view, grant, idle, template }: StageInput): Step {
  if (crawlOver(row)) return {};
  const done = row.pages;
  if (view.state === "none")
    return grant.run ? { order: { stage: "crawler", run: 1, attempt: 1, parallelism: 1, done } } : {};
  // The frontier is stored: another goes on where it was.
  const next = followUp({ stage: "crawler", view, idle, template, done });
  if (next.state === "working") return {};
  if (next.state === "follow")
    return {
      ...next.step,
      order: { stage: "crawler", run: view.run + 1, attempt: next.attempt, parallelism: 1, done },
    };
  const why = view.message ?? "It ended before the crawl was over.";
  return {
    ...next.step,
    abandon: `The crawler was given up after ${view.run} ${view.run === 1 ? "Job" : "Jobs"}. ${why}`,
    stopReason: "CrawlerFailed",
  };
}

export function planChecks(stage: CheckerStage, { row, view, grant, idle, template }: StageInput): Step {
  const { pending, checked, failed } = row.checks[checkKindOf[stage]];
  // Without pods a Job never ends: its place was taken back while its last check ended.
  if (crawlOver(row) && pending === 0)
    return view.state === "active" && view.job?.spec.parallelism === 0 ? { remove: view.job } : {};
  const parallelism = grant.checkers[stage];
  const done = checked + failed;
  const next = followUp({ stage, view, idle, template, done });
  if (next.state === "working") {
    const { job } = view;
    const changes = parallelism !== undefined && parallelism !== (job?.spec.parallelism ?? 1);
    return job && changes ? { scale: { job, parallelism } } : {};
  }
  if (next.state === "follow") {
    if (!grant.run || !parallelism) return {};
    return { ...next.step, order: { stage, run: view.run + 1, attempt: next.attempt, parallelism, done } };
  }
  // The crawl may still bring pages; they are given up as they come.
  if (pending === 0) return { ...next.step, stopReason: "CheckerFailed" };
  const why = view.message ?? "It ended while checks remained.";
  return {
    ...next.step,
    abandon: `The ${stage} was given up after ${view.run} ${view.run === 1 ? "Job" : "Jobs"}. ${why}`,
    stopReason: "CheckerFailed",
  };
}

export function crawlOver(row: ReportProgress): boolean {
  return row.crawlState === "ended" || row.crawlState === "failed";
}

type FollowUp =
  | { state: "working" }
  | { state: "follow"; attempt: number; step: Pick<Step, "remove" | "event"> }
  | { state: "give-up"; step: Pick<Step, "remove"> };

/** Whether a Job goes on with a stage's work, is followed by another, or was the last. */
function followUp(given: {
  stage: Stage;
  view: StageView;
  idle: Idleness | undefined;
  template: string;
  done: number;
}): FollowUp {
  const { stage, view, idle, template, done } = given;
  const { job } = view;
  if (view.state === "active") {
    if (!job || !idle) return { state: "working" };
    const name = job.metadata.name;
    if (job.metadata.annotations?.[annotations.template] !== template) {
      const message = `${name} had no pod that works, and the settings of its pods have changed: another is made.`;
      const event = { type: "Normal", reason: "JobReplaced", message } as const;
      return { state: "follow", attempt: Math.max(1, view.attempt), step: { remove: job, event } };
    }
    if (idle !== "stalled") return { state: "working" };
  }
  const remove = view.state === "active" && job ? { remove: job } : {};
  // Exit code 2 says that trying again cannot help.
  if (view.state === "failed" && view.reason === "PodFailurePolicy" && view.attempt > 0)
    return { state: "give-up", step: remove };
  const attempt = gotMuchDone(job, done) ? 1 : view.attempt + 1;
  if (attempt > MAX_ATTEMPTS) return { state: "give-up", step: remove };
  if (view.attempt === 0) return { state: "follow", attempt, step: remove };
  const message = `${job?.metadata.name ?? `A Job of the ${stage}`} ${endOf[view.state]}: another goes on (${attempt} of ${MAX_ATTEMPTS} without progress).`;
  return { state: "follow", attempt, step: { ...remove, event: { type: "Warning", reason: "JobFollowed", message } } };
}

const endOf: Record<StageView["state"], string> = {
  none: "is not there",
  active: "has no pod that works any more",
  complete: "ended before its work was done",
  failed: "failed",
  missing: "was removed before its work was done",
};

function gotMuchDone(job: JobResource | undefined, done: number): boolean {
  const before = job?.metadata.annotations?.[annotations.done];
  return before !== undefined && done - Number(before) >= MUCH_DONE;
}
