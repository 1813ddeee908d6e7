import { readProgress, resourceOfRow } from "../../database/reports/progress.ts";
import { isEndPhase } from "../../schema/status.ts";
import type { Scheduler } from "../scheduling/scheduler.ts";
import { isWatched } from "../settings.ts";
import { applyPlan } from "./apply.ts";
import type { ReportDeps } from "./comparisons.ts";
import { observeReport } from "./observe.ts";
import { planReport } from "./plan.ts";

/** When to reconcile again, the key of the resource if that still exists, and whether the report has ended. */
export type RowStep = { again: number | undefined; key?: string; ended: boolean };

/**
 * Reconciles a report with a page that is checked again: through its resource if that still exists,
 * otherwise from the row alone. A report that has ended comes here when its counts or the result of its gate have
 * changed: the status of its resource follows.
 */
export async function reconcileRow(deps: ReportDeps, scheduler: Scheduler, id: string): Promise<RowStep> {
  const { cluster, db } = deps;
  const row = await readProgress(db, id);
  if (!row || row.deletedAt) return { again: undefined, ended: true };
  const { namespace, name, phase } = row;
  const over = isEndPhase(phase);
  // Resources in other namespaces cannot be read, so only the row is known.
  const living = isWatched(deps.settings, namespace) ? await cluster.get("Report", namespace, name) : undefined;
  if (living?.metadata.uid === row.uid) return { again: undefined, key: `${namespace}/${name}`, ended: over };
  const resource = await resourceOfRow(db, id);
  if (!resource || over) return { again: undefined, ended: true };
  const snapshot = await observeReport(deps, scheduler, { id, resource, row });
  const now = deps.now();
  const plan = planReport(snapshot, now);
  const interrupted = await applyPlan(deps, resource, id, plan, now);
  if (interrupted) return { again: interrupted.againMs, ended: false };
  const ends = plan.actions.some(({ type }) => type === "end");
  return { again: ends ? undefined : plan.requeueAfterMs, ended: ends };
}
