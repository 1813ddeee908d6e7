/** The stages that work on a queue of checks and may have several pods. */
export const checkerStages = ["html-checker", "a11y-checker"] as const;
export type CheckerStage = (typeof checkerStages)[number];

/** What one unfinished report asks for. */
export type Demand = {
  id: string;
  accountId: string;
  /** It has no Jobs yet. */
  waiting: boolean;
  /** Checks that wait or run, by the stages that the report needs at all. */
  queues: Partial<Record<CheckerStage, number>>;
  /** Pods that its Jobs have been given. Never taken back: a pod ends by itself. */
  held: Partial<Record<CheckerStage, number>>;
};

export type Share = { run: boolean; checkers: Partial<Record<CheckerStage, number>> };

export type Limits = {
  maxRunningReports: number;
  /** Checker pods over all reports. */
  maxCheckers: number;
  /** Checker pods of one Job. One checker uses all cores of its machine: a second one there only costs memory. */
  maxCheckersPerJob: number;
};

/** Checks for which one more pod is worth its start: an accessibility check takes far longer. */
const checksPerPod: Record<CheckerStage, number> = { "html-checker": 100, "a11y-checker": 15 };

/**
 * Shares the machines out: who may run, and with how many checkers.
 *
 * Places go round robin by account: the account with the fewest comes first, of its
 * reports the oldest. So one account's hundred reports do not keep another's only one
 * waiting. Then each queue gets its first pod before any gets a second one.
 *
 * @param demands all unfinished reports, oldest first
 */
export function allocate(demands: readonly Demand[], limits: Limits): Map<string, Share> {
  const running = chooseRunning(demands, limits.maxRunningReports);
  const shares = new Map<string, Share>(
    demands.map((demand) => [demand.id, { run: running.has(demand.id), checkers: { ...demand.held } }]),
  );
  let free = limits.maxCheckers - sum(demands.flatMap((demand) => Object.values(demand.held)));

  const queues = demands
    .filter((demand) => running.has(demand.id))
    .flatMap((demand) =>
      checkerStages.flatMap((stage) => {
        const length = demand.queues[stage];
        return length === undefined
          ? []
          : [{ demand, stage, wanted: Math.min(limits.maxCheckersPerJob, wantedPods(stage, length)) }];
      }),
    );
  const given = (queue: (typeof queues)[number]) => shares.get(queue.demand.id)?.checkers[queue.stage] ?? 0;
  const byAccount = new Map<string, number>();
  const count = (accountId: string, pods: number) => byAccount.set(accountId, (byAccount.get(accountId) ?? 0) + pods);
  for (const { accountId, held } of demands) count(accountId, sum(Object.values(held)));

  while (free > 0) {
    const open = queues.filter((queue) => given(queue) < queue.wanted);
    // The sort is stable: of equals the oldest report comes first.
    const [next] = open.sort(
      (a, b) =>
        Math.min(1, given(a)) - Math.min(1, given(b)) ||
        (byAccount.get(a.demand.accountId) ?? 0) - (byAccount.get(b.demand.accountId) ?? 0) ||
        given(a) - given(b),
    );
    const share = next && shares.get(next.demand.id);
    if (!share) break;
    share.checkers[next.stage] = given(next) + 1;
    count(next.demand.accountId, 1);
    free--;
  }
  return shares;
}

function chooseRunning(demands: readonly Demand[], most: number): Set<string> {
  const running = new Set(demands.filter((demand) => !demand.waiting).map((demand) => demand.id));
  const count = new Map<string, number>();
  for (const { id, accountId } of demands) if (running.has(id)) count.set(accountId, (count.get(accountId) ?? 0) + 1);
  const waiting = demands.filter((demand) => !running.has(demand.id));
  while (running.size < most && waiting.length > 0) {
    const fewest = Math.min(...waiting.map((demand) => count.get(demand.accountId) ?? 0));
    const index = waiting.findIndex((demand) => (count.get(demand.accountId) ?? 0) === fewest);
    for (const { id, accountId } of waiting.splice(index, 1)) {
      running.add(id);
      count.set(accountId, fewest + 1);
    }
  }
  return running;
}

/** One pod from the start, so that checks overlap the crawl; more as the queue grows. */
function wantedPods(stage: CheckerStage, queueLength: number): number {
  return Math.max(1, Math.ceil(queueLength / checksPerPod[stage]));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
