import { randomUUID } from "node:crypto";
import type { Kysely } from "kysely";
import { notify } from "../database/notifications.ts";
import { type Definition, findActiveRun, insertRun, lockSchedule, updateRuns } from "../database/schedules/runs.ts";
import type { Database } from "../database/tables.ts";

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
    if (!row?.active || row.uid !== from.uid || row.generation !== from.generation) return false;
    if (await findActiveRun(trx, scheduleId)) return false;
    const taken = await insertRun(trx, scheduleId, run.slot, row.hook_report_id ?? randomUUID());
    await updateRuns(trx, scheduleId, {
      next_run_at: run.nextRunAt,
      ...(taken && { last_run_at: now, hook_report_id: null }),
    });
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
    if (!row?.active) return undefined;
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
