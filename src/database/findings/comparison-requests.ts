import { type Kysely, sql } from "kysely";
import type { ComparisonFailure } from "../../domain/findings/comparison-failure.ts";
import type { Database } from "../tables.ts";
import { checkedAt, hasEnded, type Pair } from "./comparisons.ts";

/** A comparison that failed is not made again for this long, unless one of the reports has other results by then. */
const KEEP_FAILED = sql`interval '10 minutes'`;

/** What has become of a comparison that was asked for. */
export type RequestState =
  | { status: "queued" | "running"; percent: number }
  | { status: "failed"; failure: ComparisonFailure };

/** A comparison that was asked for; undefined also for one that failed, when it may be asked for again. */
export async function findRequest(db: Kysely<Database>, { reportId, baseId }: Pair): Promise<RequestState | undefined> {
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

/** Locks the requests of an account, so that several at once do not exceed its limit together. @returns those that wait or run */
export async function lockRequests(
  trx: Kysely<Database>,
  accountId: string,
): Promise<{ total: number; ofGuests: number }> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`comparison requests ${accountId}`}, 0))`.execute(trx);
  const { rows } = await sql<{ total: number; ofGuests: number }>`
    select count(*)::integer as total, count(*) filter (where by_guest)::integer as "ofGuests"
    from comparison_requests where account_id = ${accountId} and failed_at is null`.execute(trx);
  return rows[0] ?? { total: 0, ofGuests: 0 };
}

/** The account of two reports that have ended. */
export async function findComparable(db: Kysely<Database>, { reportId, baseId }: Pair): Promise<string | undefined> {
  const { rows } = await sql<{ account_id: string }>`
    select r.account_id from reports r, reports b
    where r.id = ${reportId} and b.id = ${baseId} and ${hasEnded("r")} and ${hasEnded("b")}`.execute(db);
  return rows[0]?.account_id;
}

/** Stores that somebody asks for a comparison. */
export async function insertRequest(
  trx: Kysely<Database>,
  { reportId, baseId, byGuest }: Pair & { byGuest: boolean },
  accountId: string,
): Promise<void> {
  await sql`
    insert into comparison_requests (report_id, base_id, account_id, by_guest)
    values (${reportId}, ${baseId}, ${accountId}, ${byGuest})`.execute(trx);
}
