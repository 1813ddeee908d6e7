import type { ReportProgress } from "../database/report-progress.ts";
import type { CheckKind } from "../domain/findings.ts";
import {
  annotations,
  type JobResource,
  labels,
  type ReportPhase,
  type ReportResource,
  type ReportStatus,
  type Stage,
  stages,
} from "../schema/resources.ts";
import type { CheckerStage, Share } from "./allocate.ts";
import type { JobOrder } from "./job-manifest.ts";
import type { Trouble } from "./pod-trouble.ts";
import { reportStatus } from "./report-status.ts";
import { type StageView, viewStage } from "./stage-view.ts";

/** What was observed of one report (observe.ts draws the scenarios). */
export type ReportSnapshot = {
  resource: ReportResource;
  row: ReportProgress;
  /** The report's Jobs, whatever their state. */
  jobs: JobResource[];
  share: Share;
  /** Why its pods do not work. */
  trouble?: Trouble | undefined;
  reportTtlSeconds: number;
};

export type Action =
  | { type: "create-job"; order: JobOrder }
  | { type: "raise-parallelism"; job: JobResource; parallelism: number }
  | { type: "abandon-crawl"; detail: string }
  | { type: "abandon-checks"; kind: CheckKind; detail: string }
  | { type: "set-phase"; phase: "Crawling" | "Checking" }
  | { type: "end"; phase: "Complete" | "Failed" }
  /** Removes the resource; its rows stay. */
  | { type: "expire" };

export type ReportPlan = {
  /** In this order, before the status is written. */
  actions: Action[];
  status: ReportStatus;
  /** When to look again though nothing was heard; undefined: not before something is. */
  requeueAfterMs?: number;
};

/** While a report runs its counters are mirrored that often. */
export const MIRROR_MS = 2_000;
/** A waiting report is woken when a place comes free; this is for a wake-up that was lost. */
const WAITING_MS = 15_000;
/** Jobs in a row for the same work, before it is given up. */
export const MOST_ATTEMPTS = 4;

export const checkKindOf: Record<CheckerStage, CheckKind> = { "html-checker": "html", "a11y-checker": "a11y" };

/** What to do about one report, from what was observed of it and the time alone. */
export function planReport(snapshot: ReportSnapshot, now: Date): ReportPlan {
  const { row, resource, share } = snapshot;
  if (row.phase === "Complete" || row.phase === "Failed") return planEnded(snapshot, now);

  const runs: NonNullable<ReportStatus["runs"]> = { ...resource.status?.runs };
  const view = (stage: Stage) => {
    const found = viewStage(stage, snapshot.jobs, resource.status?.runs);
    if (found.run > 0) runs[stage] = found.run;
    // Jobs before a recheck did other work: they are no attempts at this one.
    const attempt = Math.min(found.attempt, Math.max(0, found.run - (row.runBase?.[stage] ?? 0)));
    return { ...found, attempt };
  };
  const steps = [
    planCrawl(row, view("crawler"), share),
    ...neededStages(resource).map((stage) => planChecks(row, stage, view(stage), share)),
  ].filter((step) => step !== undefined);
  const actions = steps.flatMap((step): Action[] => {
    if (!step.order) return step.action ? [step.action] : [];
    runs[step.order.stage] = step.order.run;
    return [{ type: "create-job", order: step.order }];
  });
  const stopReason = steps.find((step) => step.stopReason)?.stopReason ?? resource.status?.stopReason;
  const phase = phaseOf(row, share);
  if (phase !== "Pending" && phase !== row.phase) actions.push(moveTo(phase));

  const changesRow = actions.some(
    ({ type }) => type === "abandon-crawl" || type === "abandon-checks" || type === "end",
  );
  return {
    actions,
    status: reportStatus({ resource, row, phase, runs, stopReason, trouble: snapshot.trouble }, now),
    requeueAfterMs: changesRow ? 0 : phase === "Pending" ? WAITING_MS : MIRROR_MS,
  };
}

function moveTo(phase: Exclude<ReportPhase, "Pending">): Action {
  return phase === "Complete" || phase === "Failed" ? { type: "end", phase } : { type: "set-phase", phase };
}

/** A report that has ended is shown, and removed when its time is over and nobody else keeps it. */
function planEnded({ resource, row, jobs, reportTtlSeconds }: ReportSnapshot, now: Date): ReportPlan {
  const runs = { ...resource.status?.runs };
  for (const stage of stages) {
    const { run } = viewStage(stage, jobs, runs);
    if (run > 0) runs[stage] = run;
  }
  const status = reportStatus({ resource, row, phase: row.phase, runs, stopReason: resource.status?.stopReason }, now);
  const { metadata } = resource;
  const madeForOnce = metadata.annotations?.[annotations.requestId] ?? metadata.labels?.[labels.schedule];
  // One that a person or GitOps applied stays: vanished, it would be applied and run again.
  if (madeForOnce === undefined || row.completedAt === null) return { actions: [], status };
  const left = row.completedAt.getTime() + reportTtlSeconds * 1_000 - now.getTime();
  return left > 0 ? { actions: [], status, requeueAfterMs: left } : { actions: [{ type: "expire" }], status };
}

type Step = { order?: JobOrder; action?: Action; stopReason?: string } | undefined;

function planCrawl(row: ReportProgress, view: StageView, share: Share): Step {
  if (crawlOver(row) || view.state === "active") return undefined;
  if (view.state === "none")
    return share.run ? { order: { stage: "crawler", run: 1, attempt: 1, parallelism: 1 } } : undefined;
  const attempt = view.attempt + 1;
  // A failed Job has used its retries up. One that is complete or gone before the crawl is over
  // was ended from outside: its frontier is stored, so another goes on where it was.
  if (view.state !== "failed" && attempt <= MOST_ATTEMPTS)
    return { order: { stage: "crawler", run: view.run + 1, attempt, parallelism: 1 } };
  const why = view.message ?? "It ended before the crawl was over.";
  return {
    action: { type: "abandon-crawl", detail: `The crawler was given up after ${view.run} Jobs. ${why}` },
    stopReason: "CrawlerFailed",
  };
}

function planChecks(row: ReportProgress, stage: CheckerStage, view: StageView, share: Share): Step {
  const { pending } = row.checks[checkKindOf[stage]];
  if (crawlOver(row) && pending === 0) return undefined;
  const parallelism = share.checkers[stage] ?? 0;
  if (view.state === "active") {
    const { job } = view;
    if (!job || parallelism <= (job.spec.parallelism ?? 1)) return undefined;
    return { action: { type: "raise-parallelism", job, parallelism } };
  }
  // Exit code 2 says that trying again cannot help.
  const hopeless = view.state === "failed" && view.reason === "PodFailurePolicy" && view.attempt > 0;
  const attempt = view.attempt + 1;
  if (!hopeless && attempt <= MOST_ATTEMPTS) {
    if (!share.run || parallelism === 0) return undefined;
    return { order: { stage, run: view.run + 1, attempt, parallelism } };
  }
  // The crawl may still bring pages; they are given up as they come.
  if (pending === 0) return { stopReason: "CheckerFailed" };
  const why = view.message ?? "It ended while checks remained.";
  return {
    action: {
      type: "abandon-checks",
      kind: checkKindOf[stage],
      detail: `The ${stage} was given up after ${view.run} Jobs. ${why}`,
    },
    stopReason: "CheckerFailed",
  };
}

/** The stages besides the crawler that a report's spec asks for. */
export function neededStages({ spec }: ReportResource): CheckerStage[] {
  return [
    ...(spec.performHtmlChecks ? (["html-checker"] as const) : []),
    ...(spec.performA11yChecks ? (["a11y-checker"] as const) : []),
  ];
}

function crawlOver(row: ReportProgress): boolean {
  return row.crawlState === "ended" || row.crawlState === "failed";
}

/** A report is over when its crawl is and no check is left, whatever its Jobs still do. */
function phaseOf(row: ReportProgress, share: Share): ReportPhase {
  if (!crawlOver(row)) return share.run ? "Crawling" : "Pending";
  if (row.checks.html.pending > 0 || row.checks.a11y.pending > 0) return "Checking";
  return row.crawlState === "failed" || row.failureCode !== null ? "Failed" : "Complete";
}
