import { needsCrawl, performedKinds } from "../../checks/kinds.ts";
import type { ReportProgress } from "../../database/reports/progress.ts";
import type { Backoff } from "../../domain/backoff.ts";
import type { Failure } from "../../domain/failure.ts";
import { sumOf } from "../../domain/findings/check-counts.ts";
import type { CheckKind } from "../../domain/findings/findings.ts";
import { isCrawlOver } from "../../domain/report-over.ts";
import { requestIdOf } from "../../domain/request-id.ts";
import {
  type JobResource,
  labels,
  type ReportPhase,
  type ReportResource,
  type ReportStatus,
  type Stage,
  stages,
} from "../../schema/resources.ts";
import { checkerStage, isEndPhase } from "../../schema/status.ts";
import type { EndedFor } from "../jobs/ended-jobs.ts";
import type { JobOrder } from "../jobs/manifest.ts";
import type { PodsView } from "../jobs/pod-health.ts";
import { type CheckerStage, type Grant, kindOfStage } from "../scheduling/grant.ts";
import { earlyEndOf } from "./early-end.ts";
import { type ReportEvent, reportEvents } from "./events.ts";
import { planChecks, planCrawl, planEarlyEnd, type StageInput, type Step } from "./plan-stage.ts";
import { viewStage } from "./stage.ts";
import { reportStatus, wasCutShort } from "./status.ts";

/** What was observed of one report (observe.ts draws the scenarios). */
export type ReportSnapshot = {
  resource: ReportResource;
  row: ReportProgress;
  /** The report's Jobs, whatever their state. */
  jobs: JobResource[];
  grant: Grant;
  /** The Jobs that cannot start yet because their Secret has not been written. */
  withoutSecret: readonly JobResource[];
  /** The state of its pods, if known. */
  pods?: PodsView | undefined;
  /** For how long its Jobs have been seen ended. */
  endedFor: EndedFor;
  /** A digest of the current settings for pods. */
  template: string;
  /** The pauses before the third Job in a row of a stage, and before each further one. */
  jobBackoff: Backoff;
  reportTtlSeconds: number;
};

export type Action =
  | { type: "create-job"; order: JobOrder }
  | { type: "put-secret"; job: JobResource }
  | { type: "delete-job"; job: JobResource }
  | { type: "set-parallelism"; job: JobResource; parallelism: number }
  | { type: "abandon-crawl"; failure: Failure }
  | { type: "abandon-checks"; kind: CheckKind; failure: Failure }
  | { type: "set-phase"; phase: "Crawling" | "Checking" }
  | { type: "end"; phase: "Complete" | "Failed" }
  /** Removes the resource; its rows are kept. */
  | { type: "expire" };

export type ReportPlan = {
  /** To be carried out in this order, before the status is written. */
  actions: Action[];
  status: ReportStatus;
  /** Of a report that is to be ended: its status as long as it is being compared. */
  statusUntilEnd?: ReportStatus;
  /** To be recorded once the status is written. */
  events: ReportEvent[];
  /** A stage waits for the end of a pause. */
  pauses?: boolean;
  /** When to reconcile again without an event; undefined: only after an event. */
  requeueAfterMs?: number;
};

/** How often a running report's counters are written to its status. */
export const STATUS_INTERVAL_MS = 2_000;
/** A waiting report is woken when it may run; this interval is for a lost wake-up. */
export const WAITING_RECHECK_MS = 15_000;

/** Decides what to do about one report; depends only on the snapshot and the time. */
export function planReport(snapshot: ReportSnapshot, now: Date): ReportPlan {
  const { row, resource, grant, pods, endedFor, template } = snapshot;
  if (isEndPhase(row.phase)) return planEnded(snapshot, now);

  const runs: NonNullable<ReportStatus["runs"]> = {};
  const inputOf = (stage: Stage): StageInput => {
    const found = viewStage(stage, snapshot.jobs, row.lastJobs);
    if (found.run > 0) runs[stage] = found.run;
    // Jobs before a recheck did other work, so they do not count as attempts.
    const attempt = Math.min(found.attempt, Math.max(0, found.run - (row.runBase?.[stage]?.run ?? 0)));
    const idle = found.job && pods?.idle.get(found.job.metadata.name);
    const endedMs = found.job && endedFor.get(found.job.metadata.uid);
    return { row, view: { ...found, attempt }, grant, idle, endedMs, template, jobBackoff: snapshot.jobBackoff };
  };
  const earlyEnd = earlyEndOf(resource, row, now);
  const isOpen = (stage: Stage): boolean =>
    stage === "crawler" || !needsCrawl(kindOfStage(stage)) || isCrawlOver(row.crawlState);
  const stepOf = (stage: Stage): Step => {
    if (earlyEnd) return planEarlyEnd(stage, inputOf(stage), earlyEnd);
    return stage === "crawler" ? planCrawl(inputOf(stage)) : planChecks(stage, inputOf(stage));
  };
  const steps = (["crawler", ...neededStages(resource)] as const)
    .filter(isOpen)
    .map((stage): [Stage, Step] => [stage, stepOf(stage)]);
  for (const [stage, { order }] of steps) if (order) runs[stage] = order.run;
  const removed = new Set(steps.map(([, step]) => step.remove?.metadata.uid));
  const lacking = snapshot.withoutSecret.filter(({ metadata }) => !removed.has(metadata.uid));
  const phase = phaseOf(row, grant);
  const actions = [
    ...phaseChange(row, phase),
    ...lacking.map((job): Action => ({ type: "put-secret", job })),
    ...steps.flatMap(([stage, step]) => actionsOf(stage, step)),
    ...(isEndPhase(phase) ? [{ type: "end", phase } as const] : []),
  ];
  // A report that was refused before, and is not any more, does not keep the stopReason of the refusal.
  const remembered = resource.status?.phase === "Failed" ? undefined : resource.status?.stopReason;
  const stopReason = steps.find(([, step]) => step.stopReason)?.[1].stopReason ?? remembered;
  const changesRow = actions.some(
    ({ type }) => type === "abandon-crawl" || type === "abandon-checks" || type === "end",
  );
  const input = { resource, row, runs, stopReason, trouble: pods?.trouble };
  const status = reportStatus({ ...input, phase }, now);
  return {
    actions,
    status,
    ...(isEndPhase(phase)
      ? { statusUntilEnd: reportStatus({ ...input, phase: row.phase, comparing: true }, now) }
      : {}),
    events: [...steps.flatMap(([, { event }]) => event ?? []), ...reportEvents(resource.status, status)],
    pauses: steps.some(([, { pauses }]) => pauses),
    requeueAfterMs: changesRow ? 0 : phase === "Pending" ? WAITING_RECHECK_MS : STATUS_INTERVAL_MS,
  };
}

function actionsOf(stage: Stage, { remove, order, scale, abandon }: Step): Action[] {
  return [
    ...(remove ? [{ type: "delete-job", job: remove } as const] : []),
    ...(order ? [{ type: "create-job", order } as const] : []),
    ...(scale ? [{ type: "set-parallelism", ...scale } as const] : []),
    ...(abandon === undefined ? [] : [abandonment(stage, abandon)]),
  ];
}

function abandonment(stage: Stage, failure: Failure): Action {
  if (stage === "crawler") return { type: "abandon-crawl", failure };
  return { type: "abandon-checks", kind: kindOfStage(stage), failure };
}

/** Must come before the first Job is created: the phase says that the report holds a slot, also after a restart. */
function phaseChange(row: ReportProgress, phase: ReportPhase): Action[] {
  if (phase === row.phase || phase === "Pending" || isEndPhase(phase)) return [];
  return [{ type: "set-phase", phase }];
}

/** Writes the status of an ended report, and removes its resource after the TTL unless a person applied it. */
function planEnded({ resource, row, jobs, reportTtlSeconds }: ReportSnapshot, now: Date): ReportPlan {
  const runs: NonNullable<ReportStatus["runs"]> = {};
  for (const stage of stages) {
    const { run } = viewStage(stage, jobs, row.lastJobs);
    if (run > 0) runs[stage] = run;
  }
  const status = reportStatus({ resource, row, phase: row.phase, runs, stopReason: resource.status?.stopReason }, now);
  const { metadata } = resource;
  const madeForOnce = requestIdOf(metadata) ?? metadata.labels?.[labels.schedule];
  const events = reportEvents(resource.status, status);
  // A Report that a person or GitOps applied is kept: if it vanished, it would be applied and run again.
  if (madeForOnce === undefined || row.completedAt === null) return { actions: [], status, events };
  const left = row.completedAt.getTime() + reportTtlSeconds * 1_000 - now.getTime();
  if (left > 0) return { actions: [], status, events, requeueAfterMs: left };
  return { actions: [{ type: "expire" }], status, events: [] };
}

/** The checker stages that a report's spec needs. */
export function neededStages({ spec }: ReportResource): CheckerStage[] {
  return performedKinds(spec).map(checkerStage);
}

/** A report has ended when its crawl has and no check is left, even if its Jobs still run. */
function phaseOf(row: ReportProgress, grant: Grant): ReportPhase {
  if (!isCrawlOver(row.crawlState)) return grant.run ? "Crawling" : "Pending";
  if (sumOf(row.checks, "pending") > 0) return "Checking";
  return row.crawlState === "failed" || (row.failureCode !== null && !wasCutShort(row)) ? "Failed" : "Complete";
}
