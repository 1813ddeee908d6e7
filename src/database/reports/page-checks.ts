import { type Kysely, sql } from "kysely";
import type { Payer } from "../../domain/accounts/credits.ts";
import type { StoredCode } from "../../domain/coverage/notices.ts";
import type { CheckStatus, CountChanges } from "../../domain/findings/check-counts.ts";
import type { CheckKind } from "../../domain/findings/findings.ts";
import { type Tally, tallyFields } from "../../domain/findings/tally.ts";
import { recordable } from "../../domain/scope/url-scope.ts";
import { CHANNEL } from "../notifications.ts";
import type { Database } from "../tables.ts";
import { addCounts } from "./check-counts.ts";

/** A check of a locked page. */
export type PageCheck = Tally & {
  id: string;
  kind: CheckKind;
  status: CheckStatus;
  reused: boolean;
  reserved_month: string | null;
  stored_bytes: number;
};

/** Locks a page's checks, then the page, in the same order as recordOutcomes. */
export async function lockPage(trx: Kysely<Database>, reportId: string, pageId: string): Promise<PageCheck[]> {
  const { rows } = await sql<PageCheck>`
    select c.id, c.kind, c.status, c.reused, to_char(c.reserved_month, 'YYYY-MM-DD') as reserved_month, c.stored_bytes,
      ${sql.join(tallyFields.map((field) => sql.ref(`c.${field}`)))}
    from checks c where c.report_id = ${reportId} and c.web_page_id = ${pageId}
    order by c.id for update`.execute(trx);
  await sql`select id from web_pages where id = ${pageId} for update`.execute(trx);
  return rows;
}

/** Queues checks of a page again that have ended. */
export async function queueAgain(
  trx: Kysely<Database>,
  pageId: string,
  checks: readonly PageCheck[],
  now: Date,
): Promise<void> {
  await trx
    .updateTable("checks")
    .set({
      status: "queued",
      attempts: 0,
      failure_code: null,
      failure_detail: null,
      finished_at: null,
      reused: false,
    })
    .where(
      "id",
      "in",
      checks.map(({ id }) => id),
    )
    .execute();
  await trx.updateTable("web_pages").set({ updated_at: now }).where("id", "=", pageId).execute();
}

/** Counts checks that are queued again. A report that had ended is reopened, and not judged any more. */
export async function reopenReport(
  trx: Kysely<Database>,
  reportId: string,
  changes: CountChanges,
  now: Date,
): Promise<void> {
  await sql`
    with report as (
      update reports set completed_at = null, updated_at = ${now},
        -- A report that has not ended keeps its deadline, and counts its Jobs as before.
        run_base = case when phase in ('Complete', 'Failed') or run_base is not null then last_jobs end,
        phase = case when phase in ('Complete', 'Failed') then 'Checking' else phase end,
        passed = null, gate_results = null, coverage = null, site_reviewed = false
      where id = ${reportId} and deleted_at is null
      returning id
    ), counted as (${addCounts(changes)})
    select pg_notify(${CHANNEL}, id::text) from report`.execute(trx);
}

/** Notices of the crawler that are about a page of the report, and nothing without it. */
const ofPages: readonly StoredCode[] = ["hash_routes_not_opened", "link_limit"];

/** Deletes a page; its URL becomes an excluded URL. @returns the bytes that are gone with its title; undefined when there is no such page */
export async function excludePage(
  trx: Kysely<Database>,
  reportId: string,
  pageId: string,
): Promise<number | undefined> {
  const page = await trx
    .deleteFrom("web_pages")
    .where("id", "=", pageId)
    .where("report_id", "=", reportId)
    .returning(["url", "linked_from", sql<number>`coalesce(octet_length(title), 0)`.as("bytes")])
    .executeTakeFirst();
  if (!page) return undefined;
  const { bytes, ...address } = page;
  await trx
    .deleteFrom("report_notices")
    .where("report_id", "=", reportId)
    .where("url", "=", recordable(page.url))
    .where((eb) => eb.or([eb("kind", "<>", ""), eb("code", "in", ofPages)]))
    .execute();
  await trx
    .insertInto("excluded_urls")
    .values({ report_id: reportId, ...address, reason: "deleted" })
    .onConflict((conflict) => conflict.columns(["report_id", "url"]).doUpdateSet({ reason: "deleted" }))
    .execute();
  return bytes;
}

/** Counts a page that is gone. @returns who paid for its checks; undefined when there is no such report */
export async function countGonePage(
  trx: Kysely<Database>,
  reportId: string,
  { changes, bytes }: { changes: CountChanges; bytes: number },
  now: Date,
): Promise<Payer | undefined> {
  const { rows } = await sql<Payer>`
    with report as (
      update reports set num_pages = num_pages - 1, stored_bytes = stored_bytes - ${bytes}::bigint, updated_at = ${now},
        -- Findings of other pages may name it.
        site_reviewed = false
      where id = ${reportId}
      returning id, account_id, guest_token
    ), counted as (${addCounts(changes)})
    select account_id as "accountId", guest_token as "guestToken", pg_notify(${CHANNEL}, id::text) from report`.execute(
    trx,
  );
  return rows[0];
}
