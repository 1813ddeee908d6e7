import type { CheckerStage, Demand } from "./grant.ts";

/** A queue of checks that pods process, during a decision. */
export type Queue = {
  demand: Pick<Demand, "id" | "accountId">;
  stage: CheckerStage;
  /** The most pods that it could use. */
  wanted: number;
  /** Pods that it keeps fully busy. */
  busy: number;
  /** Pods that it has or will have. */
  given: number;
  /** No slot may be taken back from it now. */
  awaitingPods: boolean;
};

/**
 * Distributes `slots` over queues by updating `given`, and moves as few slots as possible.
 *
 * A slot has one of three ranks: a report's only pod, another queue's only pod, and any other pod.
 * A lower rank comes first: each report gets its first pod before any queue gets a second one.
 * Within a rank the account with the fewest pods comes first, then the report with the fewest,
 * then the queue with the fewest, then the oldest.
 *
 * A slot moves only if that makes the shares more equal: afterwards the giver has no fewer slots
 * than the taker, or its queue had no use for the slot, or the slot had a higher rank number for
 * it. So it does not move back while queues stay the same.
 *
 * @param queues of the running reports, oldest first
 */
export function distribute(queues: readonly Queue[], slots: number): void {
  const totals = countPods(queues);
  const move = (queue: Queue, pods: 1 | -1) => {
    queue.given += pods;
    add(totals.accounts, queue.demand.accountId, pods);
    add(totals.reports, queue.demand.id, pods);
    totals.all += pods;
  };

  while (totals.all < slots) {
    const next = first(
      queues.filter((queue) => queue.given < queue.wanted),
      mostNeeding(totals),
    );
    if (!next) break;
    move(next, 1);
  }
  // The maximum was lowered.
  while (totals.all > slots) {
    const next = first(queues.filter((queue) => queue.given > 0).reverse(), richest(totals));
    if (!next) break;
    move(next, -1);
  }
  // Each move improves the distribution, so this ends; the bound guards against a mistake in that.
  for (let moves = 0; moves < slots; moves++) {
    const pair = findMove(queues, totals);
    if (!pair) break;
    move(pair.from, -1);
    move(pair.to, 1);
  }
}

/** The queue that should get the next pod, of those that lack one. */
export function nextOf<Some extends Queue>(lacking: readonly Some[], all: readonly Queue[]): Some | undefined {
  return first(lacking, mostNeeding(countPods(all)));
}

type Totals = { all: number; accounts: Map<string, number>; reports: Map<string, number> };

function countPods(queues: readonly Queue[]): Totals {
  const totals: Totals = { all: 0, accounts: new Map(), reports: new Map() };
  for (const { demand, given } of queues) {
    totals.all += given;
    add(totals.accounts, demand.accountId, given);
    add(totals.reports, demand.id, given);
  }
  return totals;
}

function findMove(queues: readonly Queue[], totals: Totals): { from: Queue; to: Queue } | undefined {
  // Sorts are stable: among equals the oldest takes first, and the youngest gives first.
  const takers = queues.filter((queue) => queue.given < queue.busy).sort(mostNeeding(totals));
  if (takers.length === 0) return undefined;
  const givers = queues
    .filter((queue) => queue.given > 0 && !queue.awaitingPods)
    .reverse()
    .sort(richest(totals));
  for (const to of takers) {
    const from = givers.find((giver) => giver !== to && gains(giver, to, totals));
    if (from) return { from, to };
  }
  return undefined;
}

/** Whether `to` makes better use of a slot than `from`. */
function gains(from: Queue, to: Queue, totals: Totals): boolean {
  if (from.given > from.wanted) return true;
  const lost = rankOf(from, from.given, totals);
  const won = rankOf(to, to.given + 1, totals);
  if (won !== lost) return won < lost;
  const [more, less] =
    from.demand.accountId !== to.demand.accountId
      ? [accountPods(from, totals), accountPods(to, totals)]
      : from.demand.id !== to.demand.id
        ? [reportPods(from, totals), reportPods(to, totals)]
        : [from.given, to.given];
  return more - 1 >= less + 1;
}

/** The rank of the n-th pod of a queue. 0: a report's only pod; 1: a queue's only pod; 2: any other. */
function rankOf(queue: Queue, nth: number, totals: Totals): 0 | 1 | 2 {
  if (nth > 1) return 2;
  return reportPods(queue, totals) === queue.given ? 0 : 1;
}

type Order = (a: Queue, b: Queue) => number;

function mostNeeding(totals: Totals): Order {
  return (a, b) => byNeed(a, b, 1, totals);
}

function richest(totals: Totals): Order {
  const surplus = (queue: Queue) => Math.min(1, Math.max(0, queue.given - queue.wanted));
  return (a, b) => surplus(b) - surplus(a) || byNeed(b, a, 0, totals);
}

/** The element that a stable sort would put first. */
function first<Some extends Queue>(queues: readonly Some[], order: Order): Some | undefined {
  let [best] = queues;
  for (const queue of queues) if (best && order(queue, best) < 0) best = queue;
  return best;
}

/** @param next 1 compares the next pods that the queues would get, 0 the last pods that they have */
function byNeed(a: Queue, b: Queue, next: 0 | 1, totals: Totals): number {
  return (
    rankOf(a, a.given + next, totals) - rankOf(b, b.given + next, totals) ||
    accountPods(a, totals) - accountPods(b, totals) ||
    reportPods(a, totals) - reportPods(b, totals) ||
    a.given - b.given
  );
}

function accountPods({ demand }: Queue, { accounts }: Totals): number {
  return accounts.get(demand.accountId) ?? 0;
}

function reportPods({ demand }: Queue, { reports }: Totals): number {
  return reports.get(demand.id) ?? 0;
}

function add(counts: Map<string, number>, key: string, pods: number): void {
  counts.set(key, (counts.get(key) ?? 0) + pods);
}
