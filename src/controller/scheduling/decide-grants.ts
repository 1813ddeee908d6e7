import { distribute, nextOf, type Queue } from "./fair-share.ts";
import { busyPods, checkerStages, type Demand, type Grant, type Limits, sum, wantedPods } from "./grant.ts";
import { chooseRunning } from "./running-reports.ts";

/**
 * Decides for all unfinished reports at once who may run, and with how many checkers.
 *
 * Lowered parallelism is granted at once; a slot that is taken back is given to another queue
 * only in a later pass, when its pod is gone (`held`). So existing pods and pods that may still be
 * created are never more than `maxCheckers`.
 *
 * @param demands all unfinished reports, oldest first
 * @returns a grant for each of them, by id
 */
export function decideGrants(demands: readonly Demand[], limits: Limits): Map<string, Grant> {
  const running = chooseRunning(demands, limits.maxRunningReports);
  const queues = demands.filter(({ id }) => running.has(id)).flatMap((demand) => queuesOf(demand, limits));
  const shared = new Set(queues.map(keyOf));
  // Pods of Jobs whose queue is empty for good, or of unknown Jobs: they end by themselves.
  const others = demands.flatMap((demand) =>
    checkerStages.map((stage) => (shared.has(keyOf({ demand, stage })) ? 0 : (demand.held[stage] ?? 0))),
  );
  const slots = Math.max(0, limits.maxCheckers - sum(others));

  const wished = queues.map((queue) => ({ ...queue }));
  distribute(wished, slots);

  // Reductions first: slots that are taken back are still held, so they are not free yet.
  const granted = queues.map((queue, index) => ({ ...queue, given: Math.min(queue.given, wished[index]?.given ?? 0) }));
  const heldBy = (queue: { demand: Demand; stage: Queue["stage"] }) => queue.demand.held[queue.stage] ?? 0;
  let free = slots - sum(granted.map((queue) => Math.max(queue.given, heldBy(queue))));
  for (;;) {
    const lacking = granted.filter(
      (queue, index) => queue.given < (wished[index]?.given ?? 0) && (free > 0 || queue.given < heldBy(queue)),
    );
    const queue = nextOf(lacking, granted);
    if (!queue) break;
    if (queue.given >= heldBy(queue)) free--;
    queue.given++;
  }

  const grants = new Map<string, Grant>(demands.map(({ id }) => [id, { run: running.has(id), checkers: {} }]));
  for (const { demand, stage, given } of granted) {
    const grant = grants.get(demand.id);
    if (grant) grant.checkers[stage] = given;
  }
  return grants;
}

function queuesOf(demand: Demand, limits: Limits): (Queue & { demand: Demand })[] {
  return checkerStages.flatMap((stage) => {
    const length = demand.queues[stage];
    if (length === undefined) return [];
    return {
      demand,
      stage,
      wanted: wantedPods(stage, length, limits),
      busy: busyPods(stage, length, limits),
      given: demand.granted[stage] ?? 0,
      awaitingPods: demand.awaitingPods?.includes(stage) ?? false,
    };
  });
}

function keyOf({ demand, stage }: Pick<Queue, "demand" | "stage">): string {
  return `${demand.id} ${stage}`;
}
