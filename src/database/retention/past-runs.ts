import { type Kysely, type RawBuilder, sql } from "kysely";
import type { CountsByKind } from "../../domain/findings/check-counts.ts";
import { settingsOfSeries } from "../../domain/findings/comparing.ts";
import { NUMBERS_KEPT_MONTHS } from "../../domain/retention/limits.ts";
import { selectCounts } from "../reports/check-counts.ts";
import { hasNumbers, isOwn, type SiteScope } from "../reports/sites.ts";
import type { Database } from "../tables.ts";

/** Keeps the numbers of a report that is deleted, if it had a result of the whole site. */
export async function keepNumbers(trx: Kysely<Database>, id: string): Promise<void> {
  const names = sql`array[${sql.join(settingsOfSeries.map((name) => sql.lit(name)))}]::text[]`;
  await sql`
    with run as (
      insert into past_runs (report_id, account_id, guest_token, starting_url, inserted_at, ended_at, counts_then, counts, pages,
        series, engines)
      select r.id, r.account_id, r.guest_token, r.starting_url, r.inserted_at, e.ended_at,
        nullif(e.counts::jsonb, now.counts), now.counts, e.pages_now, e.series, r.engines
      from reports r join report_ends e on e.report_id = r.id cross join lateral (select ${selectCounts("r.id")}::jsonb as counts) now
      where r.id = ${id} and ${hasNumbers("e")}
      on conflict (report_id) do nothing returning account_id, series
    )
    insert into past_series (account_id, series, settings)
    select run.account_id, run.series, (
      select jsonb_object_agg(setting.key, setting.value) from jsonb_each(r.spec) setting where setting.key = any(${names})
    ) from run join reports r on r.id = ${id}
    on conflict do nothing`.execute(trx);
}

/** A report is there again: its numbers are its own. */
export async function forgetNumbers(db: Kysely<Database>, id: string): Promise<void> {
  await sql`delete from past_runs where report_id = ${id}`.execute(db);
}

/** Deletes numbers of runs that are too old, at most `limit`. @returns how many */
export async function deleteOldNumbers(db: Kysely<Database>, now: Date, limit: number): Promise<number> {
  const gone = await sql`
    delete from past_runs where report_id = any(array(
      select report_id from past_runs
      where ended_at < ${now}::timestamptz - make_interval(months => ${NUMBERS_KEPT_MONTHS}) limit ${limit}
    ))`.execute(db);
  return Number(gone.numAffectedRows ?? 0);
}

/**
 * The numbers of all runs with a result, as a table: those of reports, and those that outlive theirs, as long as their site has
 * a report. `settings` has those of the series, and `countsOfRun` the counts.
 *
 * @param since of those that are gone, only the ones since then, and the last one before that of each site
 */
export function runsWithNumbers(scope: SiteScope, since: Date, startingUrl?: string): RawBuilder<unknown> {
  const isPast = sql`n.account_id = ${scope.accountId} and n.starting_url = s.starting_url
    and n.guest_token is not distinct from ${scope.guestToken}`;
  const isSite = (table: string) =>
    startingUrl === undefined ? sql`true` : sql`${sql.ref(`${table}.starting_url`)} = ${startingUrl}`;
  return sql`(
    select e.report_id, false as is_past, r.starting_url, e.ended_at, null::jsonb as past_counts, e.counts as counts_then,
      e.pages_now as pages, e.series, r.engines, r.spec as settings
    from reports r join report_ends e on e.report_id = r.id
    where ${isOwn("r", scope)} and ${isSite("r")} and ${hasNumbers("e")}
    union all
    select n.report_id, true, n.starting_url, n.ended_at, n.counts, coalesce(n.counts_then, n.counts), n.pages, n.series, n.engines, p.settings
    from (select distinct r.starting_url from reports r where ${isOwn("r", scope)} and ${isSite("r")}) s
    cross join lateral (select max(n.ended_at) as at from past_runs n where ${isPast} and n.ended_at < ${since}) before
    join past_runs n on ${isPast} and n.ended_at >= coalesce(before.at, ${since})
    join past_series p on p.account_id = n.account_id and p.series = n.series
  )`;
}

/** The counts of a run of that table: those of today, or as they were when the report was deleted. */
export function countsOfRun(run: string): RawBuilder<CountsByKind> {
  return sql<CountsByKind>`coalesce(${sql.ref(`${run}.past_counts`)}, ${selectCounts(`${run}.report_id`)}::jsonb)`;
}
