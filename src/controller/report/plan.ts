import type { ReportProgress } from "../../database/reports/progress.ts";
import type { CheckKind } from "../../domain/findings.ts";
import {
  annotations,
  type JobResource,
  labels,
  type ReportPhase,
  type ReportResource,
  type ReportStatus,
  type Stage,
  stages,
} from "../../schema/resources.ts";
import type { JobOrder } from "../jobs/manifest.ts";
import type { PodsView } from "../jobs/pod-health.ts";
import type { CheckerStage, Grant } from "../scheduling/grant.ts";
import { type ReportEvent, reportEvents } from "./events.ts";
import { checkKindOf, crawlOver, planChecks, planCrawl, type StageInput, type Step } from "./plan-stage.ts";
import { viewStage } from "./stage.ts";
import { reportStatus } from "./status.ts";

/** What was observed of one report (observe.ts draws the scenarios). */
export type ReportSnapshot = {
  resource: ReportResource;
  row: ReportProgress;
  /** The report's Jobs, whatever their state. */
  jobs: JobResource[];
  grant: Grant;
  /** Its Jobs that cannot start yet: the Secret of each has not been given to it. */
  withoutSecret: readonly JobResource[];
  /** How its pods are, where there are pods. */
  pods?: PodsView | undefined;
  /** Digest of the settings that pods are made from now. */
  template: string;
  reportTtlSeconds: number;
};

export type Action =
  | { type: "create-job"; order: JobOrder }
  | { type: "give-secret"; job: JobResource }
  | { type: "delete-job"; job: JobResource }
  | { type: "set-parallelism"; job: JobResource; parallelism: number }
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
  /** To be told once the status is written. */
  events: ReportEvent[];
  /** When to look again though nothing was heard; undefined: not before something is. */
  requeueAfterMs?: number;
};

/** While a report runs its counters are mirrored that often. */
export const MIRROR_MS = 2_000;
/** A waiting report is woken when it is granted a place; this is for a wake-up that was lost. */
const WAITING_MS = 15_000;

/** What to do about one report, from what was observed of it and the time alone. */
export function planReport(snapshot: ReportSnapshot, now: Date): ReportPlan {
  const { row, resource, grant, pods, template } = snapshot;
  if (row.phase === "Complete" || row.phase === "Failed") return planEnded(snapshot, now);

  const runs: NonNullable<ReportStatus["runs"]> = { ...resource.status?.runs };
  const inputOf = (stage: Stage): StageInput => {
    const found = viewStage(stage, snapshot.jobs, resource.status?.runs);
    if (found.run > 0) runs[stage] = found.run;
    // Jobs before a recheck did other work: they are no attempts at this one.
    const attempt = Math.min(found.attempt, Math.max(0, found.run - (row.runBase?.[stage] ?? 0)));
    const idle = found.job && pods?.idle.get(found.job.metadata.name);
    return { row, view: { ...found, attempt }, grant, idle, template };
  };
  const steps: [Stage, Step][] = [
    ["crawler", planCrawl(inputOf("crawler"))],
    ...neededStages(resource).map((stage): [Stage, Step] => [stage, planChecks(stage, inputOf(stage))]),
  ];
  for (const [stage, { order }] of steps) if (order) runs[stage] = order.run;
  const removed = new Set(steps.map(([, step]) => step.remove?.metadata.uid));
  const owed = snapshot.withoutSecret.filter(({ metadata }) => !removed.has(metadata.uid));
  const actions = [
    ...owed.map((job): Action => ({ type: "give-secret", job })),
    ...steps.flatMap(([stage, step]) => actionsOf(stage, step)),
  ];
  // Refused once, and not any more: that did not stop it.
  const remembered = resource.status?.phase === "Failed" ? undefined : resource.status?.stopReason;
  const stopReason = steps.find(([, step]) => step.stopReason)?.[1].stopReason ?? remembered;
  const phase = phaseOf(row, grant);
  if (phase !== "Pending" && phase !== row.phase) actions.push(moveTo(phase));

  const changesRow = actions.some(
    ({ type }) => type === "abandon-crawl" || type === "abandon-checks" || type === "end",
  );
  const status = reportStatus({ resource, row, phase, runs, stopReason, trouble: pods?.trouble }, now);
  return {
    actions,
    status,
    events: [...steps.flatMap(([, { event }]) => event ?? []), ...reportEvents(resource.status, status)],
    requeueAfterMs: changesRow ? 0 : phase === "Pending" ? WAITING_MS : MIRROR_MS,
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

function abandonment(stage: Stage, detail: string): Action {
  if (stage === "crawler") return { type: "abandon-crawl", detail };
  return { type: "abandon-checks", kind: checkKindOf[stage], detail };
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
  const events = reportEvents(resource.status, status);
  // One that a person or GitOps applied stays: vanished, it would be applied and run again.
  if (madeForOnce === undefined || row.completedAt === null) return { actions: [], status, events };
  const left = row.completedAt.getTime() + reportTtlSeconds * 1_000 - now.getTime();
  if (left > 0) return { actions: [], status, events, requeueAfterMs: left };
  return { actions: [{ type: "expire" }], status, events: [] };
}

/** The stages besides the crawler that a report's spec asks for. */
export function neededStages({ spec }: ReportResource): CheckerStage[] {
  return [
    ...(spec.performHtmlChecks ? (["html-checker"] as const) : []),
    ...(spec.performA11yChecks ? (["a11y-checker"] as const) : []),
  ];
}

/** A report is over when its crawl is and no check is left, whatever its Jobs still do. */
function phaseOf(row: ReportProgress, grant: Grant): ReportPhase {
  if (!crawlOver(row)) return grant.run ? "Crawling" : "Pending";
  if (row.checks.html.pending > 0 || row.checks.a11y.pending > 0) return "Checking";
  return row.crawlState === "failed" || row.failureCode !== null ? "Failed" : "Complete";
}
