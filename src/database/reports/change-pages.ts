import { type Kysely, sql } from "kysely";
import { type CheckKind, checkKinds } from "../../domain/findings/findings.ts";
import { addTally, emptyTally, type Tally, tallyFields } from "../../domain/findings/tally.ts";
import { moveCredits } from "../accounts/credits.ts";
import { countAtOnce } from "../findings/at-once.ts";
import { COMPARED_AT_ONCE, preventComparisons } from "../findings/comparisons.ts";
import { outdateComparisons } from "../findings/count-states.ts";
import { replaceFindings } from "../findings/store-findings.ts";
import { CHANNEL } from "../notifications.ts";
import type { CheckStatus, Database } from "../tables.ts";
import { addCounts } from "./check-counts.ts";
import { judgeReport } from "./judge.ts";

type PageCheck = Tally & {
  id: string;
  kind: CheckKind;
  status: CheckStatus;
  reserved_month: string | null;
  stored_bytes: number;
};

/** Locks a page's checks, then the page, in the same order as recordOutcomes. */
async function lockPage(trx: Kysely<Database>, reportId: string, pageId: string): Promise<PageCheck[]> {
  const { rows } = await sql<PageCheck>`
    select c.id, c.kind, c.status, to_char(c.reserved_month, 'YYYY-MM-DD') as reserved_month, c.stored_bytes,
      ${sql.join(tallyFields.map((field) => sql.ref(`c.${field}`)))}
    from checks c where c.report_id = ${reportId} and c.web_page_id = ${pageId}
    order by c.id for update`.execute(trx);
  await sql`select id from web_pages where id = ${pageId} for update`.execute(trx);
  return rows;
}

/** A report's counter for a check in a status. */
const counterOf: Record<CheckStatus, "pending" | "checked" | "failed"> = {
  queued: "pending",
  leased: "pending",
  checked: "checked",
  failed: "failed",
};

/**
 * Queues a page's checks again; checks that are already queued or running are left alone. The
 * previous findings are kept and counted until they are replaced. A report that had ended is
 * reopened.
 */
export async function requeuePage(db: Kysely<Database>, reportId: string, pageId: string, now: Date): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const again = (await lockPage(trx, reportId, pageId)).filter(({ status }) => counterOf[status] !== "pending");
    if (again.length === 0) return;
    await trx
      .updateTable("checks")
      .set({
        status: "queued",
        attempts: 0,
        failure_code: null,
        failure_detail: null,
        finished_at: null,
      })
      .where(
        "id",
        "in",
        again.map(({ id }) => id),
      )
      .execute();
    await trx.updateTable("web_pages").set({ updated_at: now }).where("id", "=", pageId).execute();
    const changes = again.map(({ kind, status }) => [kind, { [counterOf[status]]: -1, pending: 1 }]);
    await sql`
      with report as (
        update reports set completed_at = null, updated_at = ${now},
          -- A report that has not ended keeps its deadline, and counts its Jobs as before.
          run_base = case when phase in ('Complete', 'Failed') or run_base is not null then last_jobs end,
          phase = case when phase in ('Complete', 'Failed') then 'Checking' else phase end,
          passed = null, gate_results = null
        where id = ${reportId} and deleted_at is null
        returning id
      ), counted as (${addCounts(Object.fromEntries(changes))})
      select pg_notify(${CHANNEL}, id::text) from report`.execute(trx);
  });
}

/**
 * Removes a page with all its findings and updates every counter that included it; its URL
 * becomes an excluded URL. The result of a check that is still running is discarded, and its
 * credit is released. The report's comparisons are recounted, in the background if that takes long.
 *
 * @param countedAtOnce how many findings, and pages, the reports of these comparisons may have together for that to be done here
 * @returns false when the page does not exist any more
 * @throws ReportBeingComparedError when the report is being compared and that takes too long
 */
export async function deletePage(
  db: Kysely<Database>,
  reportId: string,
  pageId: string,
  now: Date,
  countedAtOnce = COMPARED_AT_ONCE,
): Promise<boolean> {
  const found = await db.transaction().execute(async (trx) => {
    await preventComparisons(trx, reportId);
    const checks = await lockPage(trx, reportId, pageId);
    for (const kind of checkKinds) await replaceFindings(trx, kind, reportId, [pageId], [], now);
    const page = await trx
      .deleteFrom("web_pages")
      .where("id", "=", pageId)
      .where("report_id", "=", reportId)
      .returning(["url", "linked_from"])
      .executeTakeFirst();
    if (!page) return false;
    await trx
      .insertInto("excluded_urls")
      .values({ report_id: reportId, ...page, reason: "deleted" })
      .onConflict((conflict) => conflict.columns(["report_id", "url"]).doUpdateSet({ reason: "deleted" }))
      .execute();
    await outdateComparisons(trx, reportId);
    const bytes = checks.reduce((sum, { stored_bytes }) => sum + stored_bytes, 0);
    const changes = checks.map((check) => {
      const change = emptyTally();
      addTally(change, check, -1);
      return [check.kind, { ...change, [counterOf[check.status]]: -1 }];
    });
    const { rows } = await sql<{ account_id: string; guest_token: string | null }>`
      with report as (
        update reports set num_pages = num_pages - 1, stored_bytes = stored_bytes - ${bytes}::bigint, updated_at = ${now}
        where id = ${reportId}
        returning id, account_id, guest_token
      ), counted as (${addCounts(Object.fromEntries(changes))})
      select account_id, guest_token, pg_notify(${CHANNEL}, id::text) from report`.execute(trx);
    const [report] = rows;
    for (const { reserved_month: month } of checks) {
      if (month === null || !report) continue;
      const payer = { accountId: report.account_id, guestToken: report.guest_token };
      await moveCredits(trx, payer, month, { reserved: -1, charged: 0 });
    }
    await judgeReport(trx, reportId);
    return true;
  });
  // In a second step: counting comparisons takes a while, and must not hold the locks of the first.
  if (found) await countAtOnce(db, reportId, countedAtOnce);
  return found;
}
