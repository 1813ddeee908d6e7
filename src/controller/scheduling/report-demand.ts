import type { UnfinishedReport } from "../../database/reports/progress.ts";
import { type CheckerStage, type Demand, type Grant, type Limits, type PerStage, wantedPods } from "./grant.ts";
import { byStage, type JobPlaces, maxByStage } from "./job-places.ts";

/** What the scheduler remembers of an unfinished report between two passes. */
export type ReportMemory = {
  /** As the last pass decided. */
  grant: Grant;
  /** Places that its Jobs had when they were last looked at, or were granted since. */
  held: PerStage;
  /** Pods that its queues could use at the last pass. */
  wanted: PerStage;
  /** Until when the pods of a raised grant are waited for, in milliseconds since the epoch. */
  settling: Map<CheckerStage, number>;
  /** It cannot use a place yet. */
  withdrawn: boolean;
};

/** What a report asks for and has, from its row, from what was granted, and from the Jobs that the watch has shown. */
export function demandOf(
  report: UnfinishedReport,
  memory: ReportMemory | undefined,
  jobs: readonly JobPlaces[],
  now: number,
): Demand {
  // After a restart the Jobs say what was granted.
  const granted = { ...byStage(jobs, "parallelism"), ...memory?.grant.checkers };
  const held = maxByStage(maxByStage(byStage(jobs, "held"), granted), memory?.held ?? {});
  const settling = [...(memory?.settling ?? [])].filter(([, until]) => until > now).map(([stage]) => stage);
  return {
    id: report.id,
    accountId: report.accountId,
    waiting: report.waiting && !memory?.grant.run,
    queues: queuesOf(report),
    granted,
    held,
    settling,
  };
}

/** How many pods each of its queues could use. */
export function wantedBy(queues: PerStage, limits: Limits): PerStage {
  const wanted: PerStage = {};
  for (const [stage, length] of Object.entries(queues) as [CheckerStage, number][])
    wanted[stage] = wantedPods(stage, length, limits);
  return wanted;
}

function queuesOf(report: UnfinishedReport): PerStage {
  const queues: PerStage = {};
  // After the crawl an empty queue stays empty.
  if (report.performHtmlChecks && !(report.crawlOver && report.htmlPending === 0))
    queues["html-checker"] = report.htmlPending;
  if (report.performA11yChecks && !(report.crawlOver && report.a11yPending === 0))
    queues["a11y-checker"] = report.a11yPending;
  return queues;
}
