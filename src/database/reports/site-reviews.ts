import { type Kysely, sql } from "kysely";
import { withoutFragment } from "../../domain/addresses/without-fragment.ts";
import type { CheckCounts } from "../../domain/findings/check-counts.ts";
import { addTally, emptyTally, type Tally, tallyFields } from "../../domain/findings/tally.ts";
import type { ReportSpec } from "../../schema/report.ts";
import type { LockedCheck } from "../checks/end-checks.ts";
import { isAsItLoads } from "../crawl/crawl.ts";
import type { Database } from "../tables.ts";
import { addCounts } from "./check-counts.ts";
import { lockReport } from "./progress.ts";

/** A page with what was stored of it, so that it can be compared. */
export type StoredFacts = { id: string; url: string; linkedFrom: string | null; facts: unknown };

/** A report whose pages are to be compared. */
export type Unreviewed = {
  spec: ReportSpec;
  /** The crawl has found all pages of the site, and each was checked. */
  isWhole: boolean;
  /** Pages without their variants. */
  numPages: number;
  /** Differs when a check has ended, or a page is gone. */
  progress: string;
};

/** How far the accessibility checks of the report `r` are. */
const progress = sql`(
    select concat_ws(' ', count(*), count(finished_at), sum(extract(epoch from finished_at)))
    from checks where report_id = r.id and kind = 'a11y'
  )`;

/** Undefined for a report that needs no comparison, or that was compared since it was reopened. */
export async function readUnreviewed(db: Kysely<Database>, reportId: string): Promise<Unreviewed | undefined> {
  const { rows } = await sql<Unreviewed>`
    select r.spec, ${progress} as progress,
      (select count(*) from web_pages p where p.report_id = r.id and ${isAsItLoads("p")})::integer as "numPages",
      r.failure_code is null and ((r.spec ->> 'maxPages')::integer = 0 or r.num_pages < (r.spec ->> 'maxPages')::integer)
        and not exists (select from checks c where c.report_id = r.id and c.status = 'failed')
        and not exists (select from excluded_urls u where u.report_id = r.id and u.reason not in ('off_site', 'not_html'))
        as "isWhole"
    from reports r where r.id = ${reportId} and r.deleted_at is null and not r.site_reviewed`.execute(db);
  return rows[0];
}

/** More bytes of a page are not read: a compromised checker may have written anything. */
const MAX_BYTES = 65_536;

/** The first pages that were read, in the order of the crawl, without variants. */
export async function readStoredFacts(db: Kysely<Database>, reportId: string, limit: number): Promise<StoredFacts[]> {
  const { rows } = await sql<StoredFacts>`
    select p.id, p.url, case when octet_length(f.facts::text) <= ${MAX_BYTES} then f.facts end as facts,
      case when exists (select from web_pages o where o.report_id = p.report_id and o.url = p.linked_from) then p.linked_from end as "linkedFrom"
    from web_pages p join page_facts f on f.web_page_id = p.id
    where p.report_id = ${reportId} and ${isAsItLoads("p")}
      and exists (select from checks c where c.web_page_id = p.id and c.kind = 'a11y' and c.status = 'checked')
    order by p.id limit ${limit}`.execute(db);
  return rows;
}

/** Where addresses redirected during the crawl, the first ones. */
export async function readRedirects(
  db: Kysely<Database>,
  reportId: string,
  limit: number,
): Promise<Map<string, string>> {
  const { rows } = await sql<{ url: string; location: string }>`
    select url, location from answers where report_id = ${reportId} and location is not null
    order by url limit ${limit}`.execute(db);
  return new Map(rows.map(({ url, location }) => [url, withoutFragment(location)]));
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

/**
 * Notes that the pages of a report were compared, if no check was queued or has ended meanwhile. Locks the report's row first:
 * a statement that waits for it does not see what is changed meanwhile.
 *
 * @param compared ids of pages
 * @param waysKnown all pages of the site were
 * @returns false when they are to be compared again
 */
export async function markReviewed(
  trx: Kysely<Database>,
  reportId: string,
  before: Pick<Unreviewed, "progress">,
  { compared, waysKnown }: { compared: readonly string[]; waysKnown: boolean },
): Promise<boolean> {
  await lockReport(trx, reportId);
  const { rows } = await sql`
    update reports r set site_reviewed = true where r.id = ${reportId} and ${progress} = ${before.progress}
      and not exists (select from checks where report_id = r.id and status in ('queued', 'leased'))
    returning id`.execute(trx);
  if (rows.length === 0) return false;
  await sql`
    update page_facts f set compared = of.compared, ways_compared = of.compared and ${waysKnown}
    from (select id, id = any(${[...compared]}::bigint[]) as compared from web_pages where report_id = ${reportId}) of
    where f.web_page_id = of.id`.execute(trx);
  return true;
}
