import { type Kysely, type RawBuilder, sql } from "kysely";
import type { MutingCriteria } from "../../domain/findings/muting.ts";
import { selectorPattern } from "../../domain/selector/match-selector.ts";
import type { MutingScope } from "../accounts/mutings.ts";
import { contains } from "../lists.ts";
import type { Database } from "../tables.ts";

/** What a muting would silence of what counts now: elements, and the issues and pages that have them. */
export type Silenced = { findings: number; issues: number; pages: number };

/** The number of reports that are checked when none is named. */
const MAX_REPORTS = 10;
/** They are chosen from this many of the latest reports: an owner may have a hundred thousand. */
const MAX_LATEST = 200;

/** The latest report of each site that an owner checks, the latest ones first. Reports without results are left out. */
export async function latestReports(
  db: Kysely<Database>,
  { accountId, guestToken }: MutingScope,
): Promise<{ id: string }[]> {
  let latest = db
    .selectFrom("reports")
    .select(["id", "starting_url", sql<Date>`coalesce(last_checked_at, inserted_at)`.as("at")])
    .where("account_id", "=", accountId)
    .where("deleted_at", "is", null);
  latest = guestToken === null ? latest.where("guest_token", "is", null) : latest.where("guest_token", "=", guestToken);
  const newest = latest.orderBy(sql`coalesce(last_checked_at, inserted_at)`, "desc").orderBy("id").limit(MAX_LATEST);
  const { rows } = await sql<{ id: string }>`
    select id from (
      select distinct on (starting_url) id, at from (${newest}) latest
      join lateral (select from checks c where c.report_id = latest.id and c.status = 'checked' limit 1) checked on true
      order by starting_url, at desc
    ) of_sites order by at desc limit ${MAX_REPORTS}`.execute(db);
  return rows;
}

/**
 * Counts what a muting would silence in a report, comparing the same texts as `mutingsByPage`. What other mutings
 * already silence is left out.
 */
export async function previewMuting(
  db: Kysely<Database>,
  reportId: string,
  criteria: MutingCriteria,
): Promise<Silenced> {
  const { rows } = await sql<Silenced>`
    select coalesce(sum(elements), 0)::integer as findings, count(*)::integer as issues,
      count(distinct web_page_id)::integer as pages
    from (${matching(reportId, criteria)}) silenced`.execute(db);
  return rows[0] ?? { findings: 0, issues: 0, pages: 0 };
}

/** The page and the number of elements of each issue of which the muting would silence something. */
function matching(reportId: string, criteria: MutingCriteria): RawBuilder<unknown> {
  const { url_match, message, rule, steps, fingerprint } = criteria;
  const ofIssue = [
    sql`i.report_id = ${reportId}`,
    sql`i.muting_id is null`,
    ...(url_match === undefined ? [] : [contains("w.url", url_match)]),
    ...(message === undefined ? [] : [contains("i.message", message)]),
    ...(rule === undefined ? [] : [sql`i.rule = ${rule}`]),
  ];
  const from = sql`issues i join web_pages w on w.id = i.web_page_id`;
  if (steps === undefined && fingerprint === undefined)
    return sql`select i.web_page_id, i.how_many as elements from ${from} where ${sql.join(ofIssue, sql` and `)}`;
  const ofFinding = [
    sql`f.report_id = ${reportId}`,
    sql`f.muting_id is null`,
    ...(fingerprint === undefined ? [] : [sql`f.fingerprint = decode(${fingerprint}, 'hex')`]),
    ...(steps === undefined ? [] : [sql`f.selector ~ ${selectorPattern(steps)}`]),
  ];
  return sql`
    select i.web_page_id, sum(f.how_many) as elements
    from ${from} join findings f on f.issue_id = i.id
    where ${sql.join([...ofIssue, ...ofFinding], sql` and `)}
    group by i.id, i.web_page_id`;
}
