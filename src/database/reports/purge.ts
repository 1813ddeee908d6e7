import { type Kysely, sql } from "kysely";
import { sourceKinds } from "../../checks/kinds.ts";
import type { Database } from "../tables.ts";

/** Which rows of a table are deleted: those of a report, of pages, or of a comparison. */
export type Purged = { column: "report_id" | "base_id" | "web_page_id" | "comparison_id"; ids: readonly string[] };

/** @returns how many rows were deleted, at most `limit` */
export async function deleteSome(
  db: Kysely<Database>,
  table: keyof Database,
  { column, ids }: Purged,
  limit: number,
): Promise<number> {
  const type = sql.raw(column === "report_id" || column === "base_id" ? "uuid[]" : "bigint[]");
  const result = await sql`
    delete from ${sql.table(table)} where ctid = any(array(
      select ctid from ${sql.table(table)} where ${sql.ref(column)} = any(${[...ids]}::${type}) limit ${limit}
    ))`.execute(db);
  return Number(result.numAffectedRows ?? 0);
}

/** The ids of a report's pages after `last`, at most `limit`. */
export async function listPageIds(
  db: Kysely<Database>,
  reportId: string,
  last: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from web_pages where report_id = ${reportId} and id > ${last} order by id limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Ended crawls that still have a frontier. Skips from report to report in the index: each may have a million rows. */
export async function listFrontiers(db: Kysely<Database>): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with recursive known as (
      (select report_id from frontier order by report_id limit 1)
      union all
      select (select f.report_id from frontier f where f.report_id > known.report_id order by f.report_id limit 1)
      from known where known.report_id is not null
    )
    select r.id from known join reports r on r.id = known.report_id where r.crawl_state in ('ended', 'failed')`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}

/** Comparisons whose reports are gone, or that were made again. Skips from one to the next in the index. */
export async function listLostComparisons(db: Kysely<Database>): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with recursive known as (
      (select comparison_id from compared_findings order by comparison_id limit 1)
      union all
      select (select c.comparison_id from compared_findings c where c.comparison_id > known.comparison_id
        order by c.comparison_id limit 1)
      from known where known.comparison_id is not null
    )
    select known.comparison_id as id from known
    where known.comparison_id is not null and not exists (select from comparisons c where c.id = known.comparison_id)`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}

/** Sources of ended reports that no check used. The others are deleted or kept when their last check ends. */
export async function deleteSources(db: Kysely<Database>, limit: number): Promise<number> {
  const result = await sql`
    delete from page_sources where web_page_id = any(array(
      select s.web_page_id from page_sources s
      join web_pages w on w.id = s.web_page_id
      join reports r on r.id = w.report_id
      where not s.kept and r.phase in ('Complete', 'Failed') and not exists (
        select from checks c where c.web_page_id = s.web_page_id and c.kind in (${sql.join(sourceKinds.map((kind) => sql.lit(kind)))})
          and c.status in ('queued', 'leased')
      )
      limit ${limit}
    ))`.execute(db);
  return Number(result.numAffectedRows ?? 0);
}

/** The namespaces whose resources the controller deletes; all when undefined. */
export type WatchedNamespaces = readonly string[] | undefined;

/**
 * The report to purge next: of those that were marked deleted before `before`, the one deleted first.
 *
 * @param failed those that could not be purged
 */
export async function findDeletedReport(
  db: Kysely<Database>,
  before: Date,
  { failed, watched }: { failed: readonly string[]; watched: WatchedNamespaces },
): Promise<string | undefined> {
  const report = await db
    .selectFrom("reports")
    .select("id")
    .where("deleted_at", "<", before)
    .where(sql<boolean>`id <> all(${[...failed]}::uuid[])`)
    .where(sql<boolean>`(${isWatched(watched)} or exists (select from web_pages where report_id = reports.id))`)
    .orderBy("deleted_at")
    .limit(1)
    .executeTakeFirst();
  return report?.id;
}

/** Deletes a report's own row, in a watched namespace only. */
export async function deleteReportRow(db: Kysely<Database>, id: string, watched: WatchedNamespaces): Promise<void> {
  await db.deleteFrom("reports").where("id", "=", id).where(isWatched(watched)).execute();
}

function isWatched(watched: WatchedNamespaces) {
  return watched ? sql<boolean>`namespace = any(${[...watched]}::text[])` : sql<boolean>`true`;
}
