import { randomUUID } from "node:crypto";
import type { Kysely } from "kysely";
import { insertEntry, isOfRequest } from "../database/audit/entries.ts";
import { notify } from "../database/notifications.ts";
import { deleteOfGoneSchedules } from "../database/receivers/declared.ts";
import { type Definition, findActiveRun, insertRun, updateRuns } from "../database/schedules/runs.ts";
import {
  insertSchedule,
  lockSchedule,
  markGoneSchedules,
  type ScheduleRow,
  updateSchedule,
} from "../database/schedules/schedules.ts";
import type { Database } from "../database/tables.ts";
import { changesOf } from "../domain/audit/changes.ts";
import { declaredEntry, ownEntry } from "../domain/audit/entry.ts";
import { requestIdOf } from "../domain/request-id.ts";
import { followResource, plannedRun } from "../domain/schedules/follow-resource.ts";
import { snakeCase } from "../schema/api-names.ts";
import type { ScheduleResource } from "../schema/resources.ts";
import { noteReceiver } from "./declared-receivers.ts";
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
 * @param known.declared it was seen on the cluster: what no request has made has an entry in the audit log
 * @returns false when the row with that id belongs to another resource or account, or the resource to another row: refuse
 *   the resource
 */
export async function upsertSchedule(
  db: Kysely<Database>,
  resource: ScheduleResource,
  accountId: string,
  now: Date,
  {
    id = resource.metadata.uid,
    outdated,
    declared = false,
  }: { id?: string; outdated?: ScheduleRow; declared?: boolean } = {},
): Promise<boolean> {
  const { metadata, spec } = resource;
  const nextRunAt = plannedRun(spec, id, new Date(metadata.creationTimestamp));
  return db.transaction().execute(async (trx) => {
    if (await insertSchedule(trx, resource, { id, accountId, nextRunAt })) {
      if (declared) await noteDeclared(trx, resource, { accountId, id, now });
      return true;
    }
    const row = await lockSchedule(trx, id);
    if (row?.account_id !== accountId || row.namespace !== metadata.namespace || row.name !== metadata.name)
      return false;
    const change = followResource(row, resource, now, outdated);
    if (change) await updateSchedule(trx, id, resource, change, now);
    if (change && declared) await noteDeclared(trx, resource, { accountId, id, now, before: row });
    return true;
  });
}

type Seen = { accountId: string; id: string; now: Date; before?: ScheduleRow };

/** Notes what was declared or changed on the cluster, unless it is the work of a request, which has an entry of its own. */
async function noteDeclared(
  trx: Kysely<Database>,
  { metadata, spec }: ScheduleResource,
  { accountId, id, now, before }: Seen,
): Promise<void> {
  if (await isOfRequest(trx, accountId, before ? { targetId: id } : { requestId: requestIdOf(metadata) })) return;
  const values = ({ spec: of }: { spec: object }) =>
    Object.fromEntries(Object.entries(JSON.parse(JSON.stringify(of))).map(([name, value]) => [snakeCase(name), value]));
  const after = values({ spec });
  const did = before
    ? { operation: "changeDeclaredSchedule", verb: "changed a schedule" }
    : { operation: "declareSchedule", verb: "declared a schedule" };
  const changes = before
    ? changesOf({ before: values(before), after, given: {} }, new Set(Object.keys({ ...values(before), ...after })))
    : [];
  const by = `${metadata.namespace}/${metadata.name}`;
  const target = scheduleTarget({ id, starting_url: spec.startingUrl });
  await insertEntry(trx, declaredEntry({ by, ...did, area: "schedules" }, { accountId, at: now, target, changes }));
}

const scheduleTarget = ({ id, starting_url: name }: Pick<ScheduleRow, "id" | "starting_url">) => ({
  ...{ type: "schedule", id, name, path: `/schedules/${id}`, siteUrl: name },
});

/**
 * Marks the rows as deleted whose resource is gone from the cluster, each with an entry unless a request deleted it. The
 * receivers that they declared are gone, too.
 */
export async function endGoneSchedules(
  db: Kysely<Database>,
  place: { namespace: string; name: string; uid?: string },
  now: Date,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    for (const row of await markGoneSchedules(trx, place, now)) {
      const { account_id: accountId, id } = row;
      if (await isOfRequest(trx, accountId, { targetId: id })) continue;
      const did = { operation: "removeDeclaredSchedule", verb: "deleted a schedule", area: "schedules" } as const;
      const by = `${place.namespace}/${place.name}`;
      await insertEntry(trx, declaredEntry({ by, ...did }, { accountId, at: now, target: scheduleTarget(row) }));
    }
    for (const receiver of await deleteOfGoneSchedules(trx, place)) {
      const declaring = { accountId: receiver.account_id, by: `${place.namespace}/${place.name}` };
      await noteReceiver(trx, declaring, now, "deleted a receiver", receiver);
    }
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
    const reportId = row.hook_report_id ?? randomUUID();
    const taken = await insertRun(trx, scheduleId, run.slot, reportId);
    await updateRuns(trx, scheduleId, {
      next_run_at: run.nextRunAt,
      ...(taken && { last_run_at: now, hook_report_id: null }),
    });
    if (taken && row.hook_report_id === null) {
      await tellMissed(trx, scheduleId, run.slot, now);
      await noteRun(trx, row, reportId, now);
    }
    return taken;
  });
}

/** Notes that a schedule started a run at its time. That of a deploy hook is noted by its request. */
async function noteRun(trx: Kysely<Database>, schedule: ScheduleRow, reportId: string, now: Date): Promise<void> {
  const { account_id: accountId, starting_url: name } = schedule;
  const target = { type: "report", id: reportId, name, path: `/reports/${reportId}`, siteUrl: name };
  const did = { operation: "startScheduledRun", verb: "started a run", area: "runs" } as const;
  await insertEntry(trx, ownEntry({ by: `Schedule of ${name}`, ...did }, { accountId, at: now, target }));
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
