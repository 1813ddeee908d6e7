import { storageExcess } from "../../database/accounts/accounts.ts";
import { readProgress } from "../../database/reports/progress.ts";
import { type ActiveRun, findActiveRun } from "../../database/schedules/runs.ts";
import { readSchedule, type ScheduleRow } from "../../database/schedules/schedules.ts";
import { isReportOfRun, scheduledReportName } from "../../domain/schedules/scheduled-report.ts";
import { type Refusal, specRefusal } from "../../schema/limits.ts";
import { labels, type ScheduleResource } from "../../schema/resources.ts";
import type { ControllerDeps } from "../deps.ts";
import { changedMeanwhile } from "./admit.ts";
import type { ScheduleSnapshot } from "./plan.ts";

/**
 * Gathers everything that a plan depends on: the resource (already admitted), its row and its runs.
 *
 * @throws ClusterError `Conflict` when the schedule has changed since it was admitted
 */
export async function observeSchedule(
  deps: ControllerDeps,
  admitted: { id: string; resource: ScheduleResource; row: ScheduleRow },
): Promise<ScheduleSnapshot> {
  const { db, cluster, settings } = deps;
  const { id, resource } = admitted;
  const { namespace, name } = resource.metadata;
  // Reads the slot before the row, so that the row shows any call of the hook that found this run active.
  const slot = await findActiveRun(db, id);
  const row = (await readSchedule(db, id)) ?? admitted.row;
  if (row.generation !== admitted.row.generation) throw changedMeanwhile(id);
  const refusal = specRefusal(resource.spec, settings.specLimits) ?? (await storageRefusal(deps, row.account_id));
  const { items } = await cluster.list("Report", { namespace, labels: { [labels.schedule]: id } });
  return {
    id,
    resource,
    row: {
      active: row.active,
      nextRunAt: row.next_run_at,
      lastRunAt: row.last_run_at,
      hookReportId: row.hook_report_id,
    },
    ...(refusal && { refusal }),
    ...(slot && { active: { ...slot, report: await reportOf(deps, { scheduleId: id, namespace, name }, slot) } }),
    reports: items,
    historyLimit: resource.spec.historyLimit,
  };
}

async function storageRefusal({ db, settings }: ControllerDeps, accountId: string): Promise<Refusal | undefined> {
  const message = await storageExcess(db, accountId, settings.maxAccountBytes ?? 0);
  return message === undefined ? undefined : { reason: "StorageQuotaExceeded", message };
}

/** The progress of a slot's report: from its row or, before there is one, from its resource. */
async function reportOf(
  { db, cluster }: ControllerDeps,
  schedule: { scheduleId: string; namespace: string; name: string },
  { slot, reportId }: ActiveRun,
): Promise<"missing" | "running" | "ended"> {
  const row = await readProgress(db, reportId);
  if (row) return row.completedAt || row.deletedAt ? "ended" : "running";
  const run = { ...schedule, slot };
  const resource = await cluster.get("Report", schedule.namespace, scheduledReportName(run));
  if (!resource || !isReportOfRun(resource.metadata, run)) return "missing";
  // A refused report never gets a row.
  return resource.status?.phase === "Failed" ? "ended" : "running";
}
