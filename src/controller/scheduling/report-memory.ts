import type { ReportProgress } from "../../database/reports/progress.ts";
import type { JobResource } from "../../schema/resources.ts";
import {
  type CheckerStage,
  checkerStages,
  type Demand,
  type Grant,
  type Limits,
  type PerStage,
  wantedPods,
} from "./grant.ts";
import { byStage, maxByStage, placesOf } from "./job-places.ts";

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
  /** When it was granted to run, in milliseconds since the epoch. */
  grantedAt: number;
  /** It was told of its grant to run: the place may be on its way into its row. */
  told: boolean;
  /** It cannot use a place: none is granted until it asks again. */
  withdrawn: boolean;
};

export const WAITING: Grant = { run: false, checkers: {} };

/** Pods that are not seen by then are not coming soon: their place may be taken back. */
const SETTLING_MS = 10_000;
/** A report that does not ask for so long has nobody who works on it: its resource is gone, or refused. */
const UNCLAIMED_MS = 30_000;

/**
 * What to remember after a pass.
 *
 * @param demand what the decision was made from; undefined for a report that was left out of it
 * @param time milliseconds since the epoch
 */
export function remember(
  before: ReportMemory | undefined,
  { demand, grant, limits }: { demand: Demand | undefined; grant: Grant; limits: Limits },
  time: number,
): ReportMemory {
  const settling = new Map(before?.settling);
  for (const stage of checkerStages)
    if ((grant.checkers[stage] ?? 0) > (before?.grant.checkers[stage] ?? 0)) settling.set(stage, time + SETTLING_MS);
  return {
    grant,
    held: maxByStage(demand?.held ?? {}, grant.checkers),
    wanted: wantedBy(demand?.queues ?? {}, limits),
    settling,
    grantedAt: before?.grant.run ? before.grantedAt : time,
    told: before?.told ?? false,
    withdrawn: before?.withdrawn ?? false,
  };
}

/**
 * Notes what a look at a report showed: its row, and its Jobs, listed after all that its last
 * reconcile wrote. Only here does what it holds fall: before, somebody could still be acting
 * on an older grant.
 *
 * @returns true when another pass could give somebody more
 */
export function look(
  memory: ReportMemory,
  row: Pick<ReportProgress, "checks">,
  jobs: readonly JobResource[],
  limits: Limits,
): boolean {
  const { grant, held, wanted, settling, withdrawn } = memory;
  const places = jobs.flatMap((job) => placesOf(job) ?? []);
  memory.held = maxByStage(byStage(places, "held"), grant.checkers);
  memory.told = grant.run;
  memory.withdrawn = false;
  for (const { stage, settled, parallelism } of places)
    if (settled && parallelism >= (grant.checkers[stage] ?? 0)) settling.delete(stage);
  const wantedNow = wantedBy(
    { "html-checker": row.checks.html.pending, "a11y-checker": row.checks.a11y.pending },
    limits,
  );
  const grows = checkerStages.some((stage) => (wantedNow[stage] ?? 0) > (wanted[stage] ?? Number.POSITIVE_INFINITY));
  const shrank = checkerStages.some((stage) => (memory.held[stage] ?? 0) < (held[stage] ?? 0));
  return (grant.run && grows) || shrank || withdrawn;
}

/** Takes back a grant to run. */
export function withdraw(memory: ReportMemory): void {
  memory.grant = WAITING;
  memory.told = false;
  memory.withdrawn = true;
}

/** True for a report that was granted a place, and for which nobody came. */
export function isUnclaimed({ grant, told, grantedAt }: ReportMemory, time: number): boolean {
  return grant.run && !told && time - grantedAt > UNCLAIMED_MS;
}

/** How many pods each of some queues could use. */
function wantedBy(queues: PerStage, limits: Limits): PerStage {
  const wanted: PerStage = {};
  for (const stage of checkerStages) {
    const length = queues[stage];
    if (length !== undefined) wanted[stage] = wantedPods(stage, length, limits);
  }
  return wanted;
}
