import { type Kysely, sql } from "kysely";
import { noCounts } from "../../domain/findings/check-counts.ts";
import { scheduledSpec } from "../../domain/schedules/scheduled-report.ts";
import type { ReportRow } from "../reports/queries.ts";
import type { Database } from "../tables.ts";
import type { ScheduleRow } from "./schedules.ts";

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
    ...{ muting_revision: 0, crawl_epoch: 0 },
    ...{ failure_code: null, failure_detail: null, engines: {}, last_jobs: {}, run_base: null },
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
    passed: null,
    gate_results: null,
  };
}
