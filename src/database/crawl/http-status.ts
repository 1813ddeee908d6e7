import type { Kysely } from "kysely";
import type { Database } from "../tables.ts";

/** Records with which status a page of a report responded when it was fetched again; null: with none. */
export async function recordHttpStatus(
  db: Kysely<Database>,
  page: { reportId: string; url: string },
  status: number | null,
): Promise<void> {
  await db
    .updateTable("web_pages")
    .set({ http_status: status })
    .where("report_id", "=", page.reportId)
    .where("url", "=", page.url)
    .execute();
}
