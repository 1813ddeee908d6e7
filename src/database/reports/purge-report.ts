import { type Kysely, type RawBuilder, sql } from "kysely";
import { type BatchSizes, inBatches } from "../batches.ts";
import type { Database } from "../tables.ts";

/** Of rows that nothing depends on. */
export const singleRows: BatchSizes = { first: 500, most: 5_000 };
/** Of rows with which others are deleted, or that are large. */
export const heavyRows: BatchSizes = { first: 50, most: 1_000 };

/** Pages whose rows the same statements look for: each passes over those that the statements before it have deleted. */
const PAGES_AT_ONCE = 100;

/** What a page has, in an order in which no row takes others with it. */
const ofPages: readonly (readonly [table: string, sizes: BatchSizes])[] = [
  ["findings", singleRows],
  ["issues", singleRows],
  ["page_sources", heavyRows],
  ["raw_checks", heavyRows],
  ["screenshots", heavyRows],
];

/** What a report has besides. Pages come last: as long as there are some, the rest may be there, too. */
const ofReport: readonly (readonly [table: string, key: string, sizes: BatchSizes])[] = [
  ["excluded_urls", "report_id", singleRows],
  ["report_notices", "report_id", singleRows],
  ["frontier", "report_id", singleRows],
  ["components", "report_id", singleRows],
  ["common_issues", "report_id", singleRows],
  ["comparisons", "report_id", { first: 1, most: 50 }],
  ["comparisons", "base_id", { first: 1, most: 50 }],
  ["checks", "report_id", singleRows],
  ["web_pages", "report_id", singleRows],
];

/**
 * Deletes the rows of a deleted report in many short transactions. How many rows one deletes follows what they cost: the
 * time of each statement is limited, and a page may have thousands of findings.
 *
 * @param isWatched whether the report's own row is deleted, too
 * @returns false when `signal` stopped it before the report was gone
 */
export async function purgeReport(
  db: Kysely<Database>,
  id: string,
  isWatched: RawBuilder<boolean>,
  signal: AbortSignal,
): Promise<boolean> {
  await purgePages(db, id, signal);
  for (const [table, key, sizes] of ofReport)
    await inBatches(sizes, (size) => deleteSome(db, table, sql`${sql.ref(key)} = ${id}`, size), signal);
  if (signal.aborted) return false;
  await db.deleteFrom("reports").where("id", "=", id).where(isWatched).execute();
  return true;
}

/** Deletes what the pages have, a few pages at a time: each statement finds its rows by the pages' ids. */
async function purgePages(db: Kysely<Database>, id: string, signal: AbortSignal): Promise<void> {
  for (let last = "0"; !signal.aborted; ) {
    const { rows } = await sql<{ id: string }>`
      select id from web_pages where report_id = ${id} and id > ${last} order by id limit ${PAGES_AT_ONCE}`.execute(db);
    const end = rows.at(-1);
    if (!end) return;
    const pages = sql`web_page_id = any(${rows.map((row) => row.id)}::bigint[])`;
    for (const [table, sizes] of ofPages) await inBatches(sizes, (size) => deleteSome(db, table, pages, size), signal);
    last = end.id;
  }
}

/** @returns how many rows were deleted, at most `limit` */
export async function deleteSome(
  db: Kysely<Database>,
  table: string,
  which: RawBuilder<unknown>,
  limit: number,
): Promise<number> {
  const result = await sql`
    delete from ${sql.table(table)} where ctid = any(array(
      select ctid from ${sql.table(table)} where ${which} limit ${limit}
    ))`.execute(db);
  return Number(result.numAffectedRows ?? 0);
}
