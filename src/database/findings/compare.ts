import { type Kysely, sql } from "kysely";
import type { StateCount } from "../../domain/findings/finding-state.ts";
import { planForWholeReports } from "../connection/statements.ts";
import { CHANNEL } from "../notifications.ts";
import { judgeReport } from "../reports/judge.ts";
import type { Database } from "../tables.ts";
import { announceComparison, checkedAt, hasEnded } from "./comparisons.ts";
import { countStates, isOnRequest } from "./count-states.ts";
import { pairFindings, storePageKeys } from "./pairs.ts";
import { storeStates } from "./states.ts";

/** Comparisons of a report that are kept beside its own: each has a row for every finding, which no limit counts. */
const MAX_ON_REQUEST = 3;

export type Compared = { id: string; baseId: string; counts: StateCount[] };

/** Called between two statements with the share that is done, in percent. It may throw to end the comparison. */
export type OnProgress = (percent: number) => Promise<void>;

/**
 * Compares a report that has ended with another, its base: each finding of the report gets a state, and so does each
 * of the base that the report no longer has. The same two are compared again only when one of them was checked again
 * since. Safe to repeat, and to run several times at once. Only the newest comparisons made on request are kept.
 *
 * @returns undefined when one of them has not ended, or is deleted
 */
export async function compareReports(
  db: Kysely<Database>,
  reportId: string,
  baseId: string,
  onProgress: OnProgress = async () => {},
): Promise<Compared | undefined> {
  const known = await findComparison(db, reportId, baseId);
  if (known) return known;
  for (const id of [reportId, baseId]) {
    await onProgress(0);
    await storePageKeys(db, id);
  }
  const compared = await compareOnce(db, reportId, baseId, onProgress);
  await sql`
    delete from comparisons c where c.report_id = ${reportId} and ${isOnRequest} and c.id not in (
      select c.id from comparisons c where c.report_id = ${reportId} and ${isOnRequest}
      order by c.id desc limit ${MAX_ON_REQUEST}
    )`.execute(db);
  return compared;
}

/** The shares of the time that each part takes, as measured with a million findings. */
const PAIRED = 45;
const STORED = 85;

async function compareOnce(
  db: Kysely<Database>,
  reportId: string,
  baseId: string,
  onProgress: OnProgress,
): Promise<Compared | undefined> {
  return db.transaction().execute(async (trx) => {
    await planForWholeReports(trx);
    await sql`select pg_advisory_xact_lock(hashtextextended(${`compare ${reportId} ${baseId}`}, 0))`.execute(trx);
    await announceComparison(trx, reportId, baseId);
    const known = await findComparison(trx, reportId, baseId);
    if (known) return known;
    const isOwn = await deleteOutdated(trx, reportId, baseId);
    const { rows } = await sql<{ id: string }>`
      insert into comparisons (report_id, base_id, report_checked_at, base_checked_at)
      select r.id, b.id, ${checkedAt("r")}, ${checkedAt("b")}
      from reports r, reports b
      where r.id = ${reportId} and b.id = ${baseId} and ${hasEnded("r")} and ${hasEnded("b")}
      returning id`.execute(trx);
    const [row] = rows;
    if (!row) return undefined;
    await pairFindings(trx, reportId, baseId, (share) => onProgress(Math.round(PAIRED * share)));
    await onProgress(PAIRED);
    await storeStates(trx, row.id, reportId, baseId);
    await onProgress(STORED);
    const counts = await countStates(trx, row.id);
    if (isOwn) await referTo(trx, reportId, row.id);
    return { id: row.id, baseId, counts };
  });
}

/** @returns true when it was the comparison that the report has by itself */
async function deleteOutdated(trx: Kysely<Database>, reportId: string, baseId: string): Promise<boolean> {
  const { rows } = await sql<{ is_own: boolean }>`
    select r.comparison_id is not distinct from c.id as is_own
    from comparisons c join reports r on r.id = c.report_id
    where c.report_id = ${reportId} and c.base_id = ${baseId}`.execute(trx);
  await sql`delete from comparisons where report_id = ${reportId} and base_id = ${baseId}`.execute(trx);
  return rows[0]?.is_own === true;
}

/** Makes a renewed comparison the report's own again, and judges the report by it: other findings may be new now. */
async function referTo(trx: Kysely<Database>, reportId: string, comparisonId: string): Promise<void> {
  await sql`
    update reports set comparison_id = ${comparisonId}, updated_at = now() where id = ${reportId}
    returning pg_notify(${CHANNEL}, id::text)`.execute(trx);
  await judgeReport(trx, reportId);
}

/** The comparison of two reports, unless one of them was checked again since. */
export async function findComparison(
  db: Kysely<Database>,
  reportId: string,
  baseId: string,
): Promise<Compared | undefined> {
  const { rows } = await sql<Compared>`
    select c.id, c.base_id as "baseId", c.counts from comparisons c
    join reports r on r.id = c.report_id and ${checkedAt("r")} = c.report_checked_at
    join reports b on b.id = c.base_id and ${checkedAt("b")} = c.base_checked_at
    where c.report_id = ${reportId} and c.base_id = ${baseId} and ${hasEnded("r")} and ${hasEnded("b")}`.execute(db);
  return rows[0];
}
