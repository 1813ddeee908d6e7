import { needsCrawl } from "../../checks/kinds.ts";
import type { UnfinishedReport } from "../../database/reports/progress.ts";
import { checkKinds } from "../../domain/findings/findings.ts";
import { checkerStage } from "../../schema/status.ts";
import type { Demand, PerStage } from "./grant.ts";
import { byStage, type JobSlots, maxByStage } from "./job-slots.ts";
import type { ReportMemory } from "./report-memory.ts";

/** What a report needs and has, from its row, its previous grant and the Jobs that the watch has reported. */
export function demandOf(
  report: UnfinishedReport,
  memory: ReportMemory | undefined,
  jobs: readonly JobSlots[],
  now: number,
): Demand {
  // After a restart the Jobs show what was granted.
  const granted = { ...byStage(jobs, "parallelism"), ...memory?.grant.checkers };
  const held = maxByStage(maxByStage(byStage(jobs, "held"), granted), memory?.held ?? {});
  const awaitingPods = [...(memory?.awaitingPodsUntil ?? [])]
    .filter(([, until]) => until > now)
    .map(([stage]) => stage);
  return {
    id: report.id,
    accountId: report.accountId,
    waiting: report.waiting && !memory?.grant.run,
    over: isOver(report),
    queues: queuesOf(report),
    granted,
    held,
    awaitingPods,
  };
}

/** True for a report with nothing left to do but to be compared and to end. */
export function isOver({ crawlOver, pending }: UnfinishedReport): boolean {
  return crawlOver && Object.values(pending).every((count) => count === 0);
}

function queuesOf({ crawlOver, pending }: UnfinishedReport): PerStage {
  const queues: PerStage = {};
  for (const kind of checkKinds) {
    const count = pending[kind];
    if (!crawlOver && needsCrawl(kind)) continue;
    // After the crawl an empty queue stays empty.
    if (count !== undefined && !(crawlOver && count === 0)) queues[checkerStage(kind)] = count;
  }
  return queues;
}
