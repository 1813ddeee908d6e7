/** The stages that work on a queue of checks and may have several pods. */
export const checkerStages = ["html-checker", "a11y-checker"] as const;
export type CheckerStage = (typeof checkerStages)[number];

/** A number for each checker stage that has one. */
export type PerStage = Partial<Record<CheckerStage, number>>;

/** What one unfinished report asks for, and what it has. */
export type Demand = {
  id: string;
  accountId: string;
  /** It has no place among the running reports yet. */
  waiting: boolean;
  /** Checks that are queued or leased, by the stages that have work or may still get some. */
  queues: PerStage;
  /** Parallelism that its Jobs have been granted. */
  granted: PerStage;
  /** Places that its pods have or may still take, those that are still ending included. */
  held: PerStage;
  /** Stages whose last pods have not been seen yet: nothing is taken back from them. */
  settling?: readonly CheckerStage[];
};

/** What a report may do. */
export type Grant = {
  /** It may have Jobs. */
  run: boolean;
  /** Parallelism of its checker Jobs; a stage without a number keeps what it has, and gets no new Job. */
  checkers: PerStage;
};

export type Limits = {
  /** Reports that may run at once. */
  maxRunningReports: number;
  /** Checker pods over all reports. */
  maxCheckers: number;
  /** Checker pods of one Job. One checker uses all cores of its machine: a second one there only costs memory. */
  maxCheckersPerJob: number;
};

/** Checks for which one more pod is worth its start: an accessibility check takes far longer. */
const checksPerPod: Record<CheckerStage, number> = { "html-checker": 100, "a11y-checker": 15 };

/** How many pods a queue could use: one from the start, so that checks overlap the crawl; more as it grows. */
export function wantedPods(stage: CheckerStage, queueLength: number, limits: Limits): number {
  return Math.max(1, Math.min(limits.maxCheckersPerJob, Math.ceil(queueLength / checksPerPod[stage])));
}

/** How many pods a queue keeps busy to the full: for one more than that no place is taken from another queue. */
export function busyPods(stage: CheckerStage, queueLength: number, limits: Limits): number {
  return Math.max(1, Math.min(limits.maxCheckersPerJob, Math.floor(queueLength / checksPerPod[stage])));
}

export function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}
