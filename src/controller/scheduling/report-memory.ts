import type { ReportProgress } from "../../database/reports/progress.ts";
import { isReportOver } from "../../domain/report-over.ts";
import type { JobResource } from "../../schema/resources.ts";
import {
  type CheckerStage,
  checkerStages,
  type Demand,
  type Grant,
  kindOfStage,
  type Limits,
  type PerStage,
  wantedPods,
} from "./grant.ts";
import { byStage, type JobSlots, maxByStage, slotsOf } from "./job-slots.ts";

/** What the scheduler remembers of an unfinished report between two passes. */
export type ReportMemory = {
  /** The grant of the last pass. */
  grant: Grant;
  /** Slots that its Jobs had when they were last observed, or were granted since. */
  held: PerStage;
  /** The slots of its Jobs when they were last observed. */
  jobs: readonly JobSlots[];
  /** Pods that its queues could use in the last pass. */
  wanted: PerStage;
  /** When to stop waiting for the pods of an increased grant, in milliseconds of a monotonic clock. */
  awaitingPodsUntil: Map<CheckerStage, number>;
  /** When the report was allowed to run, in milliseconds of a monotonic clock. */
  grantedAt: number;
  /** A reconcile has read the grant to run, and may be writing the phase to the row. */
  grantSeen: boolean;
  /** In the last pass nothing was left to do but to end it: its slot was free for others. */
  over: boolean;
  /** The report cannot run now: it gets no grant until it is reconciled again. */
  withdrawn: boolean;
};

export const WAITING: Grant = { run: false, checkers: {} };

/** Pods that do not exist after this time will not come soon: their slots may be taken back. */
const POD_CREATION_MS = 10_000;
/** A report that is not reconciled for this long is not being processed: its resource is gone or refused. */
const UNUSED_GRANT_MS = 30_000;

/**
 * The memory of a report after a pass.
 *
 * @param demand the input of the decision; undefined for a report that was left out
 * @param time milliseconds of a monotonic clock
 */
export function remember(
  before: ReportMemory | undefined,
  { demand, grant, limits }: { demand: Demand | undefined; grant: Grant; limits: Limits },
  time: number,
): ReportMemory {
  const awaitingPodsUntil = new Map(before?.awaitingPodsUntil);
  for (const stage of checkerStages)
    if ((grant.checkers[stage] ?? 0) > (before?.grant.checkers[stage] ?? 0))
      awaitingPodsUntil.set(stage, time + POD_CREATION_MS);
  return {
    grant,
    held: maxByStage(demand?.held ?? {}, grant.checkers),
    jobs: before?.jobs ?? [],
    wanted: wantedBy(demand?.queues ?? {}, limits),
    awaitingPodsUntil,
    grantedAt: before?.grant.run ? before.grantedAt : time,
    grantSeen: before?.grantSeen ?? false,
    over: demand?.over ?? false,
    withdrawn: before?.withdrawn ?? false,
  };
}

/**
 * Updates the memory from a report's row and Jobs, which were listed after all writes of its last
 * reconcile. Only here can `held` decrease: before that, a reconcile could still be acting on an
 * older grant.
 *
 * @returns true when another pass could grant more
 */
export function updateMemory(
  memory: ReportMemory,
  row: Pick<ReportProgress, "checks" | "crawlState">,
  jobs: readonly JobResource[],
  limits: Limits,
): boolean {
  const { grant, held, wanted, awaitingPodsUntil, withdrawn } = memory;
  const slots = jobs.flatMap((job) => slotsOf(job) ?? []);
  memory.jobs = slots;
  memory.held = maxByStage(byStage(slots, "held"), grant.checkers);
  memory.grantSeen = grant.run;
  memory.withdrawn = false;
  for (const { stage, allPodsExist, parallelism } of slots)
    if (allPodsExist && parallelism >= (grant.checkers[stage] ?? 0)) awaitingPodsUntil.delete(stage);
  const wantedNow = wantedBy(
    Object.fromEntries(checkerStages.map((stage) => [stage, row.checks[kindOfStage(stage)].pending])),
    limits,
  );
  const grows = checkerStages.some((stage) => (wantedNow[stage] ?? 0) > (wanted[stage] ?? Number.POSITIVE_INFINITY));
  const shrank = checkerStages.some((stage) => (memory.held[stage] ?? 0) < (held[stage] ?? 0));
  return (grant.run && grows) || shrank || withdrawn || (isReportOver(row.crawlState, row.checks) && !memory.over);
}

/** Takes back a grant to run. */
export function withdraw(memory: ReportMemory): void {
  memory.grant = WAITING;
  memory.grantSeen = false;
  memory.withdrawn = true;
}

/** True for a report that has had a grant to run for too long without a reconcile that read it. */
export function isUnused({ grant, grantSeen, grantedAt }: ReportMemory, time: number): boolean {
  return grant.run && !grantSeen && time - grantedAt > UNUSED_GRANT_MS;
}

/** How many pods each queue could use. */
function wantedBy(queues: PerStage, limits: Limits): PerStage {
  const wanted: PerStage = {};
  for (const stage of checkerStages) {
    const length = queues[stage];
    if (length !== undefined) wanted[stage] = wantedPods(stage, length, limits);
  }
  return wanted;
}
