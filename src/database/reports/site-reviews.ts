import { type Kysely, sql } from "kysely";
import type { CheckCounts } from "../../domain/findings/check-counts.ts";
import { addTally, emptyTally, type Tally, tallyFields } from "../../domain/findings/tally.ts";
import type { ReportSpec } from "../../schema/report.ts";
import type { LockedCheck } from "../checks/end-checks.ts";
import type { Database } from "../tables.ts";
import { addCounts } from "./check-counts.ts";

/** A page with what was stored of it, so that it can be compared. */
export type StoredFacts = { id: string; url: string; linkedFrom: string | null; facts: unknown };

/** A report whose pages are to be compared; undefined for one that needs none, or that was compared since it was reopened. */
export async function readUnreviewed(
  db: Kysely<Database>,
  reportId: string,
): Promise<{ spec: ReportSpec; hasFailed: boolean } | undefined> {
  const row = await db
    .selectFrom("reports")
    .select(["spec", "failure_code"])
    .where("id", "=", reportId)
    .where("deleted_at", "is", null)
    .where("site_reviewed", "=", false)
    .executeTakeFirst();
  return row && { spec: row.spec, hasFailed: row.failure_code !== null };
}

/** The first pages that were read, in the order of the crawl. */
export async function readStoredFacts(db: Kysely<Database>, reportId: string, limit: number): Promise<StoredFacts[]> {
  const { rows } = await sql<StoredFacts>`
    select p.id, p.url, f.facts,
      case when exists (select from web_pages o where o.report_id = p.report_id and o.url = p.linked_from) then p.linked_from end as "linkedFrom"
    from web_pages p join page_facts f on f.web_page_id = p.id
    where p.report_id = ${reportId}
      and exists (select from checks c where c.web_page_id = p.id and c.kind = 'a11y' and c.status = 'checked')
    order by p.id limit ${limit}`.execute(db);
  return rows;
}

/** The pages that have issues of these rules. */
export async function pagesWithRules(
  db: Kysely<Database>,
  reportId: string,
  rules: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct i.web_page_id as id from common_issues c join issues i on i.common_id = c.id
    where c.report_id = ${reportId} and c.kind = 'a11y' and c.rule = any(${[...rules]}::text[])`.execute(db);
  return rows.map(({ id }) => id);
}

/** Locks the accessibility checks of pages that have a result, and the pages, in the order of the pages as all writers do. */
export async function lockReviewed(trx: Kysely<Database>, pageIds: readonly string[]): Promise<LockedCheck[]> {
  const { rows } = await sql<LockedCheck>`
    select c.id, c.web_page_id, w.url, c.lease_token, to_char(c.reserved_month, 'YYYY-MM-DD') as reserved_month,
      ${sql.join(tallyFields.map((field) => sql.ref(`c.${field}`)))}, c.stored_bytes
    from checks c join web_pages w on w.id = c.web_page_id
    where c.web_page_id = any(${[...pageIds]}::bigint[]) and c.kind = 'a11y' and c.status = 'checked'
    order by c.web_page_id for update of c for no key update of w`.execute(trx);
  return rows;
}

/** What counts of the issues of these rules, by page. */
export async function talliesOf(
  trx: Kysely<Database>,
  pageIds: readonly string[],
  rules: readonly string[],
): Promise<Map<string, Tally>> {
  const { rows } = await sql<Tally & { web_page_id: string }>`
    with found as (
      select web_page_id, case when outside_standard then 'outside' else issue_type end as type, impact_order,
        case when muting_id is null then how_many else 0 end as counted, muted_count
      from issues where web_page_id = any(${[...pageIds]}::bigint[]) and kind = 'a11y' and rule = any(${[...rules]}::text[])
    )
    select web_page_id, ${sql.join([
      ...(["error", "warning"] as const).flatMap((type) => [
        sql`coalesce(sum(counted) filter (where type = ${type}), 0)::integer as ${sql.ref(`${type}s`)}`,
        sql`coalesce(sum(muted_count) filter (where type = ${type}), 0)::integer as ${sql.ref(`muted_${type}s`)}`,
      ]),
      sql`coalesce(sum(counted) filter (where type = 'outside'), 0)::integer as outside_standard`,
      ...(["minor", "moderate", "serious", "critical"] as const).map(
        (impact, at) =>
          sql`coalesce(sum(counted) filter (where type <> 'outside' and impact_order = ${at + 1}), 0)::integer as ${sql.ref(impact)}`,
      ),
    ])}
    from found group by web_page_id`.execute(trx);
  return new Map(rows.map(({ web_page_id, ...tally }) => [web_page_id, tally]));
}

/** How much a check changes. */
export type CheckChange = { check: LockedCheck; change: Tally };

/** Adds to the counts of checks, and of their report. */
export async function addToChecks(
  trx: Kysely<Database>,
  reportId: string,
  changes: readonly CheckChange[],
): Promise<void> {
  const rows = changes.map(({ check, change }) => ({ id: check.id, ...change }));
  await sql`
    update checks c set ${sql.join(tallyFields.map((field) => sql`${sql.ref(field)} = ${sql.ref(`c.${field}`)} + ${sql.ref(`x.${field}`)}`))}
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as x(id bigint, ${sql.join(tallyFields.map((field) => sql`${sql.ref(field)} integer`))})
    where c.id = x.id`.execute(trx);
  const sum = emptyTally();
  for (const { change } of changes) addTally(sum, change);
  const counts: Partial<CheckCounts> = sum;
  await sql`
    with report as (select id from reports where id = ${reportId} for no key update)
    ${addCounts({ a11y: counts })}`.execute(trx);
}

export async function markReviewed(db: Kysely<Database>, reportId: string): Promise<void> {
  await db.updateTable("reports").set({ site_reviewed: true }).where("id", "=", reportId).execute();
}
