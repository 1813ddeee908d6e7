import { type Kysely, sql } from "kysely";
import type { Database } from "../tables.ts";

/** Rows deleted by one statement, whose time is limited; a page takes its checks and findings with it. */
const BATCH = 50;

/**
 * Deletes the rows of reports that were marked deleted before `before`, in many short
 * transactions: a report may have a million pages, and other reports are written meanwhile.
 *
 * @param signal stops between two transactions; the next call continues
 * @returns how many reports are gone
 */
export async function purgeDeletedReports(db: Kysely<Database>, before: Date, signal: AbortSignal): Promise<number> {
  let purged = 0;
  while (!signal.aborted) {
    const report = await db
      .selectFrom("reports")
      .select("id")
      .where("deleted_at", "<", before)
      .orderBy("deleted_at")
      .limit(1)
      .executeTakeFirst();
    if (!report) break;
    for (const table of ["web_pages", "excluded_urls", "frontier"] as const) {
      while (!signal.aborted && (await deleteBatch(db, table, report.id)) === BATCH);
    }
    if (signal.aborted) break;
    await db.deleteFrom("reports").where("id", "=", report.id).execute();
    purged++;
  }
  return purged;
}

async function deleteBatch(
  db: Kysely<Database>,
  table: "web_pages" | "excluded_urls" | "frontier",
  reportId: string,
): Promise<number> {
  const result = await sql`
    delete from ${sql.table(table)} where ctid = any(array(
      select ctid from ${sql.table(table)} where report_id = ${reportId} limit ${BATCH}
    ))`.execute(db);
  return Number(result.numAffectedRows ?? 0);
}
