import { type Kysely, sql, type Transaction } from "kysely";
import { validate as isUuid } from "uuid";
import { noCounts } from "../../domain/findings/check-counts.ts";
import { isReportOfRun, scheduledSpec } from "../../domain/schedules/scheduled-report.ts";
import { labels, type ObjectMeta } from "../../schema/resources.ts";
import { type ReportRow, reportsWithRelated } from "../reports/read-reports.ts";
import { isWhole } from "../reports/series.ts";
import type { Database } from "../tables.ts";
import type { ScheduleRow } from "./schedules.ts";

/**
 * Runs of schedules. A run is decided by inserting its slot with the id of its future report: a
 * second process finds the slot taken, and since the id is fixed there is only one report,
 * whichever process creates its resource.
 */
export type ActiveRun = { slot: Date; reportId: string };

/** The definition that a decision was made from, as the schedule's row has it. */
export type Definition = Pick<ScheduleRow, "uid" | "generation">;

/** The run that is not marked as ended. */
export async function findActiveRun(db: Kysely<Database>, scheduleId: string): Promise<ActiveRun | undefined> {
  const row = await db
    .selectFrom("schedule_slots")
    .select(["slot", "report_id"])
    .where("schedule_id", "=", scheduleId)
    .where("state", "=", "active")
    .executeTakeFirst();
  return row && { slot: row.slot, reportId: row.report_id };
}

/**
 * The id that was decided for the Report of a schedule's active run.
 *
 * @param metadata a Report's: its label is only a hint, its namespace and name must be those of the run's Report
 */
export async function findDecidedReport(
  db: Kysely<Database>,
  accountId: string,
  metadata: Pick<ObjectMeta, "namespace" | "name" | "labels">,
): Promise<string | undefined> {
  const scheduleId = metadata.labels?.[labels.schedule] ?? "";
  if (!isUuid(scheduleId)) return undefined;
  const row = await db
    .selectFrom("schedule_slots as slot")
    .innerJoin("schedules", "schedules.id", "slot.schedule_id")
    .select(["slot.slot", "slot.report_id", "schedules.name"])
    .where("schedules.id", "=", scheduleId)
    .where("schedules.account_id", "=", accountId)
    .where("schedules.namespace", "=", metadata.namespace)
    .where("slot.state", "=", "active")
    .executeTakeFirst();
  return row && isReportOfRun(metadata, { scheduleId, ...row }) ? row.report_id : undefined;
}

/** Marks the run of a slot as ended. */
export async function endRun(db: Kysely<Database>, scheduleId: string, slot: Date): Promise<void> {
  await db
    .updateTable("schedule_slots")
    .set({ state: "ended" })
    .where("schedule_id", "=", scheduleId)
    .where("slot", "=", slot)
    .execute();
}

/**
 * Sets when the next run is due, unless the definition has changed since: the API plans the next run when it changes
 * one, and a time by the earlier definition must not replace that.
 *
 * @param from the definition by which the run was planned
 */
export async function setNextRun(
  db: Kysely<Database>,
  scheduleId: string,
  nextRunAt: Date | null,
  from: Definition,
): Promise<void> {
  await db
    .updateTable("schedules")
    .set({ next_run_at: nextRunAt })
    .where("id", "=", scheduleId)
    .where("uid", "=", from.uid)
    .where("generation", "=", from.generation)
    .execute();
}

/** Takes a slot for a run. @returns false when the slot has had its run */
export async function insertRun(
  trx: Transaction<Database>,
  scheduleId: string,
  slot: Date,
  reportId: string,
): Promise<boolean> {
  const inserted = await trx
    .insertInto("schedule_slots")
    .values({ schedule_id: scheduleId, slot, report_id: reportId, state: "active" })
    .onConflict((conflict) => conflict.doNothing())
    .returning("slot")
    .executeTakeFirst();
  return inserted !== undefined;
}

/** Stores what a decision about runs changes in a schedule. */
export async function updateRuns(
  trx: Transaction<Database>,
  scheduleId: string,
  change: { next_run_at?: Date | null; last_run_at?: Date; hook_report_id?: string | null },
): Promise<void> {
  await trx.updateTable("schedules").set(change).where("id", "=", scheduleId).execute();
}

/** The newest report of a schedule that has ended, in whatever way or, with `whole`, with the results of its whole site. */
export async function findLastRun(
  db: Kysely<Database>,
  scheduleId: string,
  { whole = false } = {},
): Promise<ReportRow | undefined> {
  return reportsWithRelated(db)
    .innerJoin("schedules as s", (join) =>
      join
        .onRef("s.id", "=", "reports.schedule_id")
        .onRef("s.account_id", "=", "reports.account_id")
        .on(sql<boolean>`s.guest_token is not distinct from reports.guest_token`),
    )
    .where("reports.schedule_id", "=", scheduleId)
    .where("reports.deleted_at", "is", null)
    .where("reports.completed_at", "is not", null)
    .where(whole ? isWhole("reports") : sql<boolean>`true`)
    .orderBy("reports.inserted_at", "desc")
    .limit(1)
    .executeTakeFirst();
}

/**
 * A run's future report: decided, but not created yet, because it waits for the run before it or for the controller.
 * Returned as it will be when it begins.
 */
export async function findExpectedReport(
  db: Kysely<Database>,
  accountId: string,
  id: string,
): Promise<ReportRow | undefined> {
  const row = await db
    .selectFrom("schedules")
    .leftJoin("schedule_slots as slot", (join) =>
      join.onRef("slot.schedule_id", "=", "schedules.id").on("slot.report_id", "=", id).on("slot.state", "=", "active"),
    )
    .selectAll("schedules")
    .select(sql<Date>`coalesce(slot.inserted_at, schedules.updated_at)`.as("since"))
    .where("schedules.account_id", "=", accountId)
    .where("schedules.deleted_at", "is", null)
    .where((eb) => eb.or([eb("schedules.hook_report_id", "=", id), eb("slot.report_id", "=", id)]))
    // A deleted report does not come back.
    .where((eb) => eb.not(eb.exists(eb.selectFrom("reports").select("id").where("id", "=", id))))
    .executeTakeFirst();
  return row && pendingReport(row, id, row.since);
}

function pendingReport(schedule: ScheduleRow, id: string, since: Date): ReportRow {
  const spec = scheduledSpec(schedule.spec);
  return {
    id,
    account_id: schedule.account_id,
    guest_token: schedule.guest_token,
    schedule_id: schedule.id,
    namespace: schedule.namespace,
    name: "",
    uid: "",
    generation: "0",
    request_id: null,
    spec,
    starting_url: spec.startingUrl,
    domain: new URL(spec.startingUrl).hostname,
    tags: [...spec.tags],
    shared: spec.shared,
    phase: "Pending",
    crawl_state: "pending",
    counts: noCounts(),
    num_pages: 0,
    stored_bytes: "0",
    pin: null,
    ...{ muting_revision: 0, crawl_epoch: 0, start_forms: [], site_origin: null },
    ...{ failure_code: null, failure_detail: null, engines: {}, last_jobs: {}, run_base: null },
    ...{ crawl_started_at: null, crawl_ended_at: null },
    last_checked_at: null,
    completed_at: null,
    deleted_at: null,
    inserted_at: since,
    updated_at: since,
    // A deleted guest's schedules start no reports.
    guest_known: true,
    schedule_known: true,
    comparison_id: null,
    comparison: null,
    end: null,
    ...{ roles: null, num_faults: null },
    passed: null,
    gate_results: null,
    site_reviewed: false,
    coverage: null,
    changes: [],
    sign_in_pictures: [],
  };
}
