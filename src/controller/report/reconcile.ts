import { isDeepStrictEqual } from "node:util";
import { hasJobEnded } from "../../cluster/job-end.ts";
import type { ReportResource, ReportStatus } from "../../schema/resources.ts";
import { setConditions } from "../conditions.ts";
import { outcomeOf } from "../failures.ts";
import { awaitBasicAuth } from "../jobs/credentials.ts";
import { rowIdOf } from "../jobs/manifest.ts";
import { recordEvents } from "../record-events.ts";
import type { Scheduler } from "../scheduling/scheduler.ts";
import { admitReport, type ReportAdmission, recheckAfterMs } from "./admit.ts";
import { applyPlan } from "./apply.ts";
import type { ReportDeps } from "./comparisons.ts";
import { reportEvents } from "./events.ts";
import { endGone, finalizeReport } from "./finalize.ts";
import { observeReport } from "./observe.ts";
import { planReport, STATUS_INTERVAL_MS, WAITING_RECHECK_MS } from "./plan.ts";
import { reconcileRow } from "./reconcile-row.ts";
import { requeueAfter } from "./requeue-delay.ts";

export type Reconciler = {
  /**
   * Reconciles one Report, `<namespace>/<name>`.
   * @returns milliseconds after which to reconcile again
   * @throws any error of a step; ClusterError `Conflict` or `NotFound` when a resource changed in the meantime
   */
  reconcile(key: string): Promise<number | undefined>;
  /** The key of a known report, by its id. */
  keyOf(id: string): string | undefined;
  /** The keys of all known reports that have not ended. */
  keys(): string[];
};

/**
 * @param wake called with the key of a report to reconcile
 * @param clock milliseconds that never decrease
 */
export function createReconciler(
  deps: ReportDeps,
  scheduler: Scheduler,
  wake: (key: string) => void,
  clock: () => number = () => performance.now(),
): Reconciler {
  const { cluster, metrics } = deps;
  /** id → key, of reports that have not ended. */
  const keys = new Map<string, string>();
  /** When a report's status was last written, by the monotonic clock. */
  const statusWrittenAt = new Map<string, number>();
  /** Since when each report is being compared, by the monotonic clock. */
  const comparingSince = new Map<string, number>();
  /** The last pause of each report that does not change, in milliseconds, by key. */
  const quietMs = new Map<string, number>();

  async function reconcile(key: string): Promise<number | undefined> {
    const [namespace = "", name = ""] = key.split("/");
    const seen = await cluster.get("Report", namespace, name);
    if (!seen) return forget(key);
    if (seen.metadata.deletionTimestamp) {
      const again = await finalizeReport(deps, seen);
      return again ?? forget(key);
    }
    const admission = await admitReport(deps, seen);
    if (admission.state === "refused") return showRefusal(admission);
    const { id, resource, row } = admission;
    if (row.deletedAt) {
      // Deleted through the API, which was interrupted before it deleted the resource.
      await cluster.delete("Report", namespace, name, { uid: resource.metadata.uid });
      return 0;
    }
    keys.set(id, key);
    const waits = await awaitBasicAuth(deps, resource, row);
    // The next scheduling pass wakes it. A status now would say that it waits, which is wrong if there is room.
    if (!waits && !scheduler.requestGrant(row)) return WAITING_RECHECK_MS;
    if (!waits) return advance(key, admission);
    scheduler.withdraw(id);
    await writeStatus(resource, waits.status);
    return waits.againMs;
  }

  /** Observes, decides and acts. */
  async function advance(key: string, admission: ReportAdmission & { state: "ours" }): Promise<number | undefined> {
    const { id, resource } = admission;
    const snapshot = await observeReport(deps, scheduler, admission);
    if (snapshot.row.completedAt) await deps.jobSecrets.delete(snapshot.jobs.filter(hasJobEnded));
    const now = deps.now();
    const plan = planReport(snapshot, now);
    const interrupted = await applyPlan(deps, resource, id, plan, now);
    if (interrupted?.waits && plan.statusUntilEnd)
      return showComparison(key, resource, plan.statusUntilEnd, interrupted.againMs);
    comparingSince.delete(key);
    if (interrupted) return interrupted.againMs;
    if (plan.actions.some(({ type }) => type === "expire")) return undefined;
    if (plan.actions.some(({ type }) => type === "end")) {
      scheduler.release(id);
      // The results of the end, such as whether the report passed, are in its row now: the next reconcile reads them.
      return 0;
    }
    const postponedMs = await updateStatus(key, resource, plan.status);
    await recordEvents(deps, resource, plan.events);
    if (snapshot.row.completedAt) keys.delete(id);
    const next = requeueAfter(snapshot, plan, quietMs.get(key), now);
    if (next.quiet && next.ms !== undefined) quietMs.set(key, next.ms);
    else quietMs.delete(key);
    return earliest(next.ms, postponedMs);
  }

  /** Reconciles a report with a page that is checked again; its resource may be gone. */
  async function reconcileReopened(key: string, id: string): Promise<number | undefined> {
    const step = await reconcileRow(deps, scheduler, id);
    if (step.key !== undefined) wake(step.key);
    else if (step.ended) {
      deps.comparisons.forget(id);
      return forget(key);
    } else keys.set(id, key);
    return step.again;
  }

  /** A report's resource is gone: other reports may run instead. */
  async function forget(key: string): Promise<undefined> {
    statusWrittenAt.delete(key);
    comparingSince.delete(key);
    quietMs.delete(key);
    for (const [id, known] of keys) {
      if (known !== key) continue;
      await endGone(deps, id);
      keys.delete(id);
      scheduler.release(id);
      deps.comparisons.forget(id);
    }
  }

  /**
   * Writes the status: changed counters alone at intervals, anything else at once.
   *
   * @returns milliseconds after which to write counters that have changed too soon after the last ones
   */
  async function updateStatus(
    key: string,
    resource: ReportResource,
    status: ReportStatus,
  ): Promise<number | undefined> {
    if (isDeepStrictEqual(resource.status, status)) return undefined;
    const now = clock();
    const onlyCounters = isDeepStrictEqual(withoutCounters(resource.status), withoutCounters(status));
    const left = (statusWrittenAt.get(key) ?? Number.NEGATIVE_INFINITY) + STATUS_INTERVAL_MS - now;
    // A reconcile that comes a little earlier than the interval writes, too, instead of a moment later.
    if (onlyCounters && left > 100) return left;
    await writeStatus(resource, status);
    statusWrittenAt.set(key, now);
    return undefined;
  }

  /** Most comparisons take a moment, which is not worth a write. @returns when to look again */
  async function showComparison(
    key: string,
    resource: ReportResource,
    status: ReportStatus,
    againMs: number,
  ): Promise<number> {
    const since = comparingSince.get(key) ?? clock();
    comparingSince.set(key, since);
    const left = since + STATUS_INTERVAL_MS - clock();
    if (left > 100) return left;
    const postponedMs = await updateStatus(key, resource, status);
    if (postponedMs === undefined) await recordEvents(deps, resource, reportEvents(resource.status, status));
    return postponedMs ?? againMs;
  }

  async function writeStatus(resource: ReportResource, status: ReportStatus): Promise<void> {
    if (!isDeepStrictEqual(resource.status, status)) await cluster.updateStatus<"Report">({ ...resource, status });
  }

  async function showRefusal({
    resource,
    reason,
    message,
  }: ReportAdmission & { state: "refused" }): Promise<number | undefined> {
    const { generation } = resource.metadata;
    const update = { type: "Failed", status: "True", reason, message } as const;
    const status: ReportStatus = {
      ...resource.status,
      observedGeneration: generation,
      phase: "Failed",
      stopReason: reason,
      conditions: setConditions(resource.status?.conditions ?? [], [update], generation, deps.now()),
    };
    await writeStatus(resource, status);
    await recordEvents(deps, resource, reportEvents(resource.status, status));
    return recheckAfterMs(reason);
  }

  return {
    keyOf: (id) => keys.get(id),
    keys: () => [...keys.values()],
    async reconcile(key) {
      const end = metrics?.reconcileSeconds.startTimer();
      try {
        const rowId = rowIdOf(key);
        const again = await (rowId === undefined ? reconcile(key) : reconcileReopened(key, rowId));
        metrics?.reconciles.inc({ result: "done" });
        return again;
      } catch (error) {
        metrics?.reconciles.inc({ result: outcomeOf(error) });
        throw error;
      } finally {
        end?.();
      }
    },
  };
}

/** The shorter of two waits; undefined is for ever. */
function earliest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

/** The part of a status without counters and messages. */
function withoutCounters(status: ReportStatus | undefined): unknown {
  const { phase, runs, stopReason, observedGeneration, conditions = [] } = status ?? {};
  return { phase, runs, stopReason, observedGeneration, conditions: conditions.map(({ message: _, ...rest }) => rest) };
}
