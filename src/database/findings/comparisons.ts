import { type Kysely, sql } from "kysely";
import { ReportBeingComparedError } from "../../domain/errors.ts";
import type { ComparisonFailure } from "../../domain/findings/comparison-failure.ts";
import { isLockTimeout } from "../connection/errors.ts";
import { COMPARISON_REQUESTED, notify } from "../notifications.ts";
import { hasPending } from "../reports/check-counts.ts";
import type { Database } from "../tables.ts";

/** How many findings, or pages, two reports may have together to be compared while a client waits: a second or two. */
export const COMPARED_AT_ONCE = 50_000;

/** How many comparisons of one account may wait or be made, and how many of these its guests may have asked for. */
export const MAX_REQUESTS = 10;
export const MAX_OF_GUESTS = 5;

/** A comparison that failed is not made again for this long, unless one of the reports has other results by then. */
const KEEP_FAILED = sql`interval '10 minutes'`;

/** When a report's results were last changed by a check. */
export const checkedAt = (report: string) =>
  sql`coalesce(${sql.ref(`${report}.last_checked_at`)}, ${sql.ref(`${report}.inserted_at`)})`;

/** All that it will find is stored. The phase follows a moment later. */
export const hasEnded = (report: string) => {
  const column = (name: string) => sql.ref(`${report}.${name}`);
  return sql`${column("deleted_at")} is null and ${column("crawl_state")} in ('ended', 'failed') and not ${hasPending(`${report}.id`)}`;
};

/** Two reports, of which one is compared with the other. */
export type Pair = { reportId: string; baseId: string };

/** What has become of a comparison that was asked for. */
export type RequestState =
  | { status: "queued" | "running"; percent: number }
  | { status: "failed"; failure: ComparisonFailure };

/**
 * Asks the controller for a comparison; asking for the same one again changes nothing.
 *
 * @returns undefined when one of the two has not ended, or is deleted; `full` when the account asks for too many
 */
export async function requestComparison(
  db: Kysely<Database>,
  { reportId, baseId, byGuest }: Pair & { byGuest: boolean },
): Promise<RequestState | "full" | undefined> {
  const known = await findRequest(db, { reportId, baseId });
  if (known) return known;
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ account_id: string }>`
      select r.account_id from reports r, reports b
      where r.id = ${reportId} and b.id = ${baseId} and ${hasEnded("r")} and ${hasEnded("b")}`.execute(trx);
    const [report] = rows;
    if (!report) return undefined;
    const account = report.account_id;
    // Several requests at once must not exceed the limit together.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`comparison requests ${account}`}, 0))`.execute(trx);
    const meanwhile = await findRequest(trx, { reportId, baseId });
    if (meanwhile) return meanwhile;
    const { rows: counted } = await sql<{ total: number; of_guests: number }>`
      select count(*)::integer as total, count(*) filter (where by_guest)::integer as of_guests
      from comparison_requests where account_id = ${account} and failed_at is null`.execute(trx);
    const { total = 0, of_guests = 0 } = counted[0] ?? {};
    if (total >= MAX_REQUESTS || (byGuest && of_guests >= MAX_OF_GUESTS)) return "full";
    // One that failed.
    await endRequest(trx, { reportId, baseId });
    await sql`
      insert into comparison_requests (report_id, base_id, account_id, by_guest)
      values (${reportId}, ${baseId}, ${account}, ${byGuest})`.execute(trx);
    await notify(trx, COMPARISON_REQUESTED);
    return { status: "queued", percent: 0 };
  });
}

/** @returns undefined also for one that failed, when it may be asked for again */
async function findRequest(db: Kysely<Database>, { reportId, baseId }: Pair): Promise<RequestState | undefined> {
  const { rows } = await sql<{ started: boolean; percent: number; failure: ComparisonFailure | null }>`
    select q.started_at is not null as started, q.percent, q.failure_code as failure
    from comparison_requests q join reports r on r.id = q.report_id join reports b on b.id = q.base_id
    where q.report_id = ${reportId} and q.base_id = ${baseId} and (q.failed_at is null
      or q.failed_at > now() - ${KEEP_FAILED} and q.report_checked_at = ${checkedAt("r")}
        and q.base_checked_at = ${checkedAt("b")})`.execute(db);
  const [row] = rows;
  if (!row) return undefined;
  if (row.failure !== null) return { status: "failed", failure: row.failure };
  return { status: row.started ? "running" : "queued", percent: row.percent };
}

/**
 * The next comparison of each account that asks for some, without those that cannot be made any more: a report is
 * deleted, or being checked again. The next request for one of these says so.
 */
export async function listNextRequests(db: Kysely<Database>): Promise<(Pair & { accountId: string })[]> {
  await sql`
    delete from comparison_requests q where q.failed_at < now() - ${KEEP_FAILED} or not exists (
      select from reports r, reports b
      where r.id = q.report_id and b.id = q.base_id and ${hasEnded("r")} and ${hasEnded("b")}
    )`.execute(db);
  const { rows } = await sql<Pair & { accountId: string }>`
    select "reportId", "baseId", "accountId" from (
      select distinct on (account_id) report_id as "reportId", base_id as "baseId", account_id as "accountId", requested_at
      from comparison_requests where failed_at is null order by account_id, requested_at, report_id, base_id
    ) oldest order by requested_at, "accountId"`.execute(db);
  return rows;
}

/** @returns how often it was started, this time included; undefined when nobody asks for it any more */
export async function startRequest(db: Kysely<Database>, { reportId, baseId }: Pair): Promise<number | undefined> {
  const { rows } = await sql<{ tries: number }>`
    update comparison_requests set started_at = now(), percent = 0, tries = tries + 1
    where report_id = ${reportId} and base_id = ${baseId} and failed_at is null returning tries`.execute(db);
  return rows[0]?.tries;
}

/** @returns false when nobody can see the comparison any more: one of the two reports is deleted */
export async function recordProgress(
  db: Kysely<Database>,
  { reportId, baseId }: Pair,
  percent: number,
): Promise<boolean> {
  const { rows } = await sql`
    update comparison_requests q set percent = ${percent} from reports r, reports b
    where q.report_id = ${reportId} and q.base_id = ${baseId} and r.id = q.report_id and b.id = q.base_id
      and r.deleted_at is null and b.deleted_at is null returning q.percent`.execute(db);
  return rows.length > 0;
}

/** Removes what is done, or cannot be done any more. */
export async function endRequest(db: Kysely<Database>, { reportId, baseId }: Pair): Promise<void> {
  await sql`delete from comparison_requests where report_id = ${reportId} and base_id = ${baseId}`.execute(db);
}

/** Puts back what the controller could not finish because it stops: that is not its own fault. */
export async function putBackRequest(db: Kysely<Database>, { reportId, baseId }: Pair): Promise<void> {
  await sql`
    update comparison_requests set started_at = null, percent = 0, tries = tries - 1
    where report_id = ${reportId} and base_id = ${baseId}`.execute(db);
}

/** Stores why a comparison could not be made. */
export async function failRequest(
  db: Kysely<Database>,
  { reportId, baseId }: Pair,
  failure: ComparisonFailure,
): Promise<void> {
  await sql`
    update comparison_requests q set failed_at = now(), failure_code = ${failure},
      report_checked_at = ${checkedAt("r")}, base_checked_at = ${checkedAt("b")}
    from reports r, reports b
    where q.report_id = ${reportId} and q.base_id = ${baseId} and r.id = q.report_id and b.id = q.base_id`.execute(db);
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
 * The lock of a report that is being compared. The comparison counts by the mutings that it saw at its start, and is
 * not visible yet: whoever changes mutings of findings waits for it, and recounts it.
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
