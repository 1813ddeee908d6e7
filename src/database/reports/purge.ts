import { type Kysely, sql } from "kysely";
import { sourceKinds } from "../../checks/kinds.ts";
import { type BatchSizes, inBatches } from "../batches.ts";
import { continueOnFailure, type OnFailure } from "../connection/continue-on-failure.ts";
import type { Database } from "../tables.ts";
import { deleteSome, heavyRows, purgeReport, singleRows } from "./purge-report.ts";

/**
 * Deletes what only running reports need, in many short transactions: frontiers of crawls that have ended, and page
 * sources of reports that have ended. A page that is checked again later is fetched again. Also deletes the findings'
 * states of comparisons that are gone.
 *
 * @param signal stops between two transactions; the next call continues
 * @param onFailure called with the id of each report whose frontier and of each comparison that cannot be deleted, and if
 *   the sources cannot be, and with the error
 * @returns how many rows are gone
 */
export async function purgeWorkingRows(
  db: Kysely<Database>,
  signal: AbortSignal,
  onFailure?: OnFailure,
): Promise<number> {
  let purged = 0;
  const deleteAll = (id: string, sizes: BatchSizes, deleteSized: (size: number) => Promise<number>) =>
    continueOnFailure(id, onFailure, async () => {
      purged += await inBatches(sizes, deleteSized, signal);
    });
  for (const report of await listFrontiers(db))
    await deleteAll(report, singleRows, (size) => deleteSome(db, "frontier", sql`report_id = ${report}`, size));
  await deleteAll("page_sources", heavyRows, (size) => deleteSources(db, size));
  for (const comparison of await listLostComparisons(db)) {
    const ofComparison = sql`comparison_id = ${comparison}`;
    await deleteAll(comparison, singleRows, (size) => deleteSome(db, "compared_findings", ofComparison, size));
  }
  return purged;
}

/** Ended crawls that still have a frontier. Skips from report to report in the index: each may have a million rows. */
async function listFrontiers(db: Kysely<Database>): Promise<string[]> {
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
async function listLostComparisons(db: Kysely<Database>): Promise<string[]> {
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
async function deleteSources(db: Kysely<Database>, limit: number): Promise<number> {
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

/**
 * Deletes the rows of reports that were marked deleted before `before`, in many short
 * transactions: a report may have a million pages, and other reports are written meanwhile.
 *
 * @param signal stops between two transactions; the next call continues
 * @param options.onFailure called with the id of each report that cannot be purged, and the error
 * @param options.watched the namespaces whose resources the controller deletes, all when left out. In others the
 *   report's own row stays, without its pages: a resource that the API could not delete must not be a new report when
 *   its namespace is watched again.
 * @returns how many reports were purged
 */
export async function purgeDeletedReports(
  db: Kysely<Database>,
  before: Date,
  signal: AbortSignal,
  { onFailure, watched }: { onFailure?: OnFailure | undefined; watched?: readonly string[] | undefined } = {},
): Promise<number> {
  const isWatched = watched ? sql<boolean>`namespace = any(${watched}::text[])` : sql<boolean>`true`;
  let purged = 0;
  const failed: string[] = [];
  while (!signal.aborted) {
    const report = await db
      .selectFrom("reports")
      .select("id")
      .where("deleted_at", "<", before)
      .where(sql<boolean>`id <> all(${failed}::uuid[])`)
      .where(sql<boolean>`(${isWatched} or exists (select from web_pages where report_id = reports.id))`)
      .orderBy("deleted_at")
      .limit(1)
      .executeTakeFirst();
    if (!report) break;
    const done = await continueOnFailure(report.id, onFailure, async () => {
      if (await purgeReport(db, report.id, isWatched, signal)) purged++;
    });
    if (!done) failed.push(report.id);
  }
  return purged;
}
