import { type CheckKind, checkKinds, manifestOf } from "../../checks/kinds.ts";
import { checkerStage } from "../../schema/status.ts";

/** The stages that process a queue of checks and may have several pods. */
export type CheckerStage = ReturnType<typeof checkerStage>;
export const checkerStages: readonly CheckerStage[] = checkKinds.map(checkerStage);

const kinds = Object.fromEntries(checkKinds.map((kind) => [checkerStage(kind), kind])) as Record<
  CheckerStage,
  CheckKind
>;

export function kindOfStage(stage: CheckerStage): CheckKind {
  return kinds[stage];
}

/** A number for some of the checker stages. */
export type PerStage = Partial<Record<CheckerStage, number>>;

/** What one unfinished report needs, and what it has. */
export type Demand = {
  id: string;
  accountId: string;
  /** The report may not run yet. */
  waiting: boolean;
  /** Nothing is left to do but to compare it and to end it: it holds no slot, so that others run meanwhile. */
  over?: boolean;
  /** The number of queued and leased checks of each stage that has work or may still get some. */
  queues: PerStage;
  /** The parallelism granted to its Jobs. */
  granted: PerStage;
  /** Slots that its pods have or may still take, including pods that are still ending. */
  held: PerStage;
  /** Stages whose new pods have not been seen yet: no slot is taken back from them. */
  awaitingPods?: readonly CheckerStage[];
};

/** What a report may do. */
export type Grant = {
  /** The report may have Jobs. */
  run: boolean;
  /** The parallelism of its checker Jobs; a stage without a number keeps what it has and gets no new Job. */
  checkers: PerStage;
};

export type Limits = {
  /** Reports that may run at the same time. */
  maxRunningReports: number;
  /** Checker pods over all reports. */
  maxCheckers: number;
  /** Checker pods of one Job. A checker uses all cores of its machine, so a second one there only costs memory. */
  maxCheckersPerJob: number;
};

/** How many pods a queue could use: one from the start, so that checks overlap with the crawl, and more as it grows. */
export function wantedPods(stage: CheckerStage, queueLength: number, limits: Limits): number {
  return Math.max(1, Math.min(limits.maxCheckersPerJob, Math.ceil(queueLength / checksPerPod(stage))));
}

/** How many pods a queue keeps fully busy: beyond that no slot is taken from another queue. */
export function busyPods(stage: CheckerStage, queueLength: number, limits: Limits): number {
  return Math.max(1, Math.min(limits.maxCheckersPerJob, Math.floor(queueLength / checksPerPod(stage))));
}

function checksPerPod(stage: CheckerStage): number {
  return manifestOf(kindOfStage(stage)).checksPerPod;
}

export function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}
