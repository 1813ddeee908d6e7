import { randomUUID } from "node:crypto";
import type { Kysely } from "kysely";
import { notify } from "../database/notifications.ts";
import { type Definition, findActiveRun, insertRun, updateRuns } from "../database/schedules/runs.ts";
import { insertSchedule, lockSchedule, type ScheduleRow, updateSchedule } from "../database/schedules/schedules.ts";
import type { Database } from "../database/tables.ts";
import { followResource, plannedRun } from "../domain/schedules/follow-resource.ts";
import type { ScheduleResource } from "../schema/resources.ts";
import { tellMissed } from "./tell.ts";

/**
 * Creates the row of a Schedule resource, or updates it to a newer generation. The API or the
 * controller calls this, whichever sees the resource first; repeating it has no effect. A
 * change of the periodicity or of `active` plans the next run again, starting from `now`:
 * missed times are not made up for. A resource restored under its own name takes over its row, and so does one that
 * has another definition than the row with the same generation: the cluster was restored in between.
 *
 * @param known.id the schedule's id: it belongs to the resource, and no annotation changes it (docs/adr/0070)
 * @param known.outdated the row, when it is known that the cluster was restored and that the resource has an earlier
 *   generation
 * @returns false when the row with that id belongs to another resource or account, or the resource to another row: refuse
 *   the resource
 */
export async function upsertSchedule(
  db: Kysely<Database>,
  resource: ScheduleResource,
  accountId: string,
  now: Date,
  { id = resource.metadata.uid, outdated }: { id?: string; outdated?: ScheduleRow } = {},
): Promise<boolean> {
  const { metadata, spec } = resource;
  const nextRunAt = plannedRun(spec, id, new Date(metadata.creationTimestamp));
  return db.transaction().execute(async (trx) => {
    if (await insertSchedule(trx, resource, { id, accountId, nextRunAt })) return true;
    const row = await lockSchedule(trx, id);
    if (row?.account_id !== accountId || row.namespace !== metadata.namespace || row.name !== metadata.name)
      return false;
    const change = followResource(row, resource, now, outdated);
    if (change) await updateSchedule(trx, id, resource, change, now);
    return true;
  });
}

/**
 * Decides the run of a slot, unless a run is active or the slot has already had its run. This also
 * handles a waiting call of the deploy hook.
 *
 * @param nextRunAt when the next run is due after this one
 * @param from the definition by which the slot was planned
 * @returns false when no run was decided, or the definition has changed since: observe again
 */
export async function beginRun(
  db: Kysely<Database>,
  scheduleId: string,
  run: { slot: Date; nextRunAt: Date | null },
  now: Date,
  from: Definition,
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const row = await lockSchedule(trx, scheduleId);
    if (!row?.active || row.deleted_at || row.uid !== from.uid || row.generation !== from.generation) return false;
    if (await findActiveRun(trx, scheduleId)) return false;
    const taken = await insertRun(trx, scheduleId, run.slot, row.hook_report_id ?? randomUUID());
    await updateRuns(trx, scheduleId, {
      next_run_at: run.nextRunAt,
      ...(taken && { last_run_at: now, hook_report_id: null }),
    });
    if (taken && row.hook_report_id === null) await tellMissed(trx, scheduleId, run.slot, now);
    return taken;
  });
}

/** The effect of a call of a deploy hook: a run now, or one after the active run. */
export type HookRun = { state: "started"; slot: Date; reportId: string } | { state: "queued"; reportId: string };

/**
 * Decides a run for a deploy or, while a run is active, queues one that follows it: a single run
 * checks the last deploy, however many calls wait. The same transaction notifies the controller: it creates the report if
 * the caller cannot, or dies before that.
 *
 * @returns undefined when the schedule is inactive or deleted
 */
export async function beginHookRun(db: Kysely<Database>, scheduleId: string, now: Date): Promise<HookRun | undefined> {
  return db.transaction().execute(async (trx) => {
    const row = await lockSchedule(trx, scheduleId);
    if (!row?.active || row.deleted_at) return undefined;
    const reportId = row.hook_report_id ?? randomUUID();
    const started = !(await findActiveRun(trx, scheduleId)) && (await insertRun(trx, scheduleId, now, reportId));
    await updateRuns(
      trx,
      scheduleId,
      started ? { last_run_at: now, hook_report_id: null } : { hook_report_id: reportId },
    );
    await notify(trx, scheduleId);
    return started ? { state: "started", slot: now, reportId } : { state: "queued", reportId };
  });
}
