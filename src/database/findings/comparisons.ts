import { type Kysely, sql } from "kysely";
import { ReportBeingComparedError } from "../../domain/errors.ts";
import { MAX_ON_REQUEST } from "../../domain/findings/comparing.ts";
import type { ComparedCounts } from "../../domain/findings/finding-state.ts";
import { isLockTimeout } from "../connection/errors.ts";
import { CHANNEL } from "../notifications.ts";
import { hasPending } from "../reports/check-counts.ts";
import { isUncut, settingsThatDiffer } from "../reports/series.ts";
import type { Database } from "../tables.ts";

/** Two reports, of which one is compared with the other. */
export type Pair = { reportId: string; baseId: string };

export type Compared = { id: string; baseId: string } & ComparedCounts;

/** When a report's results were last changed by a check. */
export const checkedAt = (report: string) =>
  sql`coalesce(${sql.ref(`${report}.last_checked_at`)}, ${sql.ref(`${report}.inserted_at`)})`;

/** All that it will find is stored. The phase follows a moment later. */
export const hasEnded = (report: string) => {
  const column = (name: string) => sql.ref(`${report}.${name}`);
  return sql`${column("deleted_at")} is null and ${column("crawl_state")} in ('ended', 'failed') and not ${hasPending(`${report}.id`)}`;
};

/**
 * The base that a report is compared with automatically: the one that its definition names, if the report's creator may
 * see it; otherwise the newest earlier report of the same creator and series and, if it has one, of the same schedule. It
 * must be complete, and neither cut short nor cancelled.
 */
export async function findBase(db: Kysely<Database>, reportId: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select b.id from reports r join reports b on b.account_id = r.account_id
    where r.id = ${reportId} and b.id <> r.id and b.deleted_at is null and ${isUncut("b")}
      and case when r.spec ->> 'baseId' <> ''
          then b.id::text = r.spec ->> 'baseId' and (r.guest_token is null or b.guest_token = r.guest_token)
        else b.inserted_at < r.inserted_at and b.guest_token is not distinct from r.guest_token
          and case when r.schedule_id is null then b.starting_url = r.starting_url else b.schedule_id = r.schedule_id end
          and ${settingsThatDiffer(sql`b.spec`, sql`r.spec`)} = '{}'
      end
    order by b.inserted_at desc, b.id limit 1`.execute(db);
  return rows[0]?.id;
}

/** The comparison of two reports, unless one of them was checked again since. */
export async function findComparison(
  db: Kysely<Database>,
  reportId: string,
  baseId: string,
): Promise<Compared | undefined> {
  const { rows } = await sql<Compared>`
    select c.id, c.base_id as "baseId", c.counts, c.muted_counts as "mutedCounts" from comparisons c
    join reports r on r.id = c.report_id and ${checkedAt("r")} = c.report_checked_at
    join reports b on b.id = c.base_id and ${checkedAt("b")} = c.base_checked_at
    where c.report_id = ${reportId} and c.base_id = ${baseId} and ${hasEnded("r")} and ${hasEnded("b")}`.execute(db);
  return rows[0];
}

/** The settings of a series in which the two reports of a pair differ. */
export async function readDifferences(db: Kysely<Database>, { reportId, baseId }: Pair): Promise<string[]> {
  const { rows } = await sql<{ differs: string[] }>`
    select ${settingsThatDiffer(sql`r.spec`, sql`b.spec`)} as differs from reports r, reports b
    where r.id = ${reportId} and b.id = ${baseId}`.execute(db);
  return rows[0]?.differs ?? [];
}

/**
 * Inserts the comparison of two reports, without findings.
 *
 * @returns its id; undefined when one of them has not ended, or is deleted
 */
export async function insertComparison(trx: Kysely<Database>, { reportId, baseId }: Pair): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    insert into comparisons (report_id, base_id, report_checked_at, base_checked_at)
    select r.id, b.id, ${checkedAt("r")}, ${checkedAt("b")}
    from reports r, reports b
    where r.id = ${reportId} and b.id = ${baseId} and ${hasEnded("r")} and ${hasEnded("b")}
    returning id`.execute(trx);
  return rows[0]?.id;
}

/** Deletes a comparison of two reports. @returns true when it was the one that the report has by itself */
export async function deleteComparison(trx: Kysely<Database>, { reportId, baseId }: Pair): Promise<boolean> {
  const { rows } = await sql<{ is_own: boolean }>`
    select r.comparison_id is not distinct from c.id as is_own
    from comparisons c join reports r on r.id = c.report_id
    where c.report_id = ${reportId} and c.base_id = ${baseId}`.execute(trx);
  await sql`delete from comparisons where report_id = ${reportId} and base_id = ${baseId}`.execute(trx);
  return rows[0]?.is_own === true;
}

/** Makes a comparison the one that the report has by itself. */
export async function referToComparison(trx: Kysely<Database>, reportId: string, comparisonId: string): Promise<void> {
  await sql`
    update reports set comparison_id = ${comparisonId}, updated_at = now() where id = ${reportId}
    returning pg_notify(${CHANNEL}, id::text)`.execute(trx);
}

/** Deletes all but the newest comparisons of a report that were made on request. */
export async function deleteSurplus(db: Kysely<Database>, reportId: string): Promise<void> {
  await sql`
    delete from comparisons c where c.report_id = ${reportId} and ${isOnRequest} and c.id not in (
      select c.id from comparisons c where c.report_id = ${reportId} and ${isOnRequest}
      order by c.id desc limit ${MAX_ON_REQUEST}
    )`.execute(db);
}

/** The comparison `c` is not the one that a report has by itself, which it refers to once it has ended. */
const isOnRequest = sql<boolean>`exists (
  select from reports r where r.id = c.report_id and r.phase in ('Complete', 'Failed')
    and r.comparison_id is distinct from c.id
)`;

/**
 * Marks every comparison in which the report takes part as outdated. They are recounted, at the latest in the
 * background. Those made on request are discarded instead, since there may be many: they are made again when somebody
 * asks for them.
 */
export async function outdateComparisons(trx: Kysely<Database>, reportId: string): Promise<void> {
  const ofReport = sql`(c.report_id = ${reportId} or c.base_id = ${reportId})`;
  await sql`delete from comparisons c where ${ofReport} and ${isOnRequest}`.execute(trx);
  await sql`update comparisons c set issues_counted = false where ${ofReport}`.execute(trx);
}

/** True when a comparison is outdated. */
export async function hasUncounted(db: Kysely<Database>): Promise<boolean> {
  const { rows } = await sql`select from comparisons where not issues_counted limit 1`.execute(db);
  return rows.length > 0;
}

/** The outdated comparison with the lowest id above `last`; of one report or, without `reportId`, of all. */
export async function nextUncounted(
  db: Kysely<Database>,
  last: string,
  reportId: string | undefined,
): Promise<string | undefined> {
  const which = reportId === undefined ? sql`true` : sql`(report_id = ${reportId} or base_id = ${reportId})`;
  const { rows } = await sql<{ id: string }>`
    select id from comparisons where not issues_counted and ${which} and id > ${last} order by id limit 1`.execute(db);
  return rows[0]?.id;
}

/** Locks a comparison, since two that count the same would both insert what both have deleted. @returns its report's id */
export async function lockComparison(trx: Kysely<Database>, id: string): Promise<string | undefined> {
  const { rows } = await sql<{ report_id: string }>`
    select report_id from comparisons where id = ${id} for no key update`.execute(trx);
  return rows[0]?.report_id;
}

/**
 * True for two reports that are compared within a moment. Findings are counted up to the limit, since the reports'
 * counters leave out muted ones.
 *
 * @param limit how many findings, and pages, both may have together
 */
export async function isComparedAtOnce(
  db: Kysely<Database>,
  { reportId, baseId }: Pair,
  limit: number,
): Promise<boolean> {
  const both = sql`(${reportId}::uuid, ${baseId}::uuid)`;
  const upToLimit = (table: "findings" | "web_pages") =>
    sql`(select count(*) from (select from ${sql.table(table)} where report_id in ${both} limit ${limit + 1}) first_of)`;
  const { rows } = await sql<{ small: boolean }>`
    select ${upToLimit("findings")} <= ${limit} and ${upToLimit("web_pages")} <= ${limit} as small`.execute(db);
  return rows[0]?.small === true;
}

/**
 * True when the outdated comparisons of a report are counted within a moment. Rows are counted up to the limit, those of
 * a report once for each comparison in which it takes part, since they are read as often.
 *
 * @param limit how many findings, and pages, the reports of all these comparisons may have together
 */
export async function areCountedAtOnce(db: Kysely<Database>, reportId: string, limit: number): Promise<boolean> {
  const upToLimit = (table: "findings" | "web_pages") => sql`(
    select count(*) from (
      select from comparisons c cross join lateral (
        select from ${sql.table(table)} where report_id in (c.report_id, c.base_id) limit ${limit + 1}
      ) rows_of
      where not c.issues_counted and (c.report_id = ${reportId} or c.base_id = ${reportId}) limit ${limit + 1}
    ) first_of)`;
  const { rows } = await sql<{ small: boolean }>`
    select ${upToLimit("findings")} <= ${limit} and ${upToLimit("web_pages")} <= ${limit} as small`.execute(db);
  return rows[0]?.small === true;
}

/** Waits until nobody else compares the same two reports; until the end of the transaction. */
export async function lockPair(trx: Kysely<Database>, { reportId, baseId }: Pair): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`compare ${reportId} ${baseId}`}, 0))`.execute(trx);
}

/**
 * The lock of a report that is being compared. The comparison counts by the mutings that it saw at its start, and is
 * not visible yet: a change of mutings waits for it, and recounts it.
 */
const keyOf = (reportId: string) => sql`hashtextextended(${`compared ${reportId}`}, 0)`;

/** Marks these reports as being compared until the end of the transaction. */
export async function announceComparison(trx: Kysely<Database>, ...reportIds: string[]): Promise<void> {
  for (const id of reportIds) await sql`select pg_advisory_xact_lock_shared(${keyOf(id)})`.execute(trx);
}

/** Waits until a report's comparisons in progress are committed or rolled back. */
export async function awaitComparisons(db: Kysely<Database>, reportId: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${keyOf(reportId)})`.execute(trx);
  });
}

/**
 * Keeps a report from being compared until the end of the transaction. Called before the transaction takes other locks.
 *
 * @throws ReportBeingComparedError when it is being compared for longer than a statement waits for a lock
 */
export async function preventComparisons(trx: Kysely<Database>, reportId: string): Promise<void> {
  try {
    await sql`select pg_advisory_xact_lock(${keyOf(reportId)})`.execute(trx);
  } catch (error) {
    throw isLockTimeout(error) ? new ReportBeingComparedError() : error;
  }
}
