import type { Kysely, Selectable } from "kysely";
import { type Page, type Paginated, readPage } from "../lists.ts";
import type { Database } from "../tables.ts";

export type ExcludedUrlRow = Selectable<Database["excluded_urls"]>;

/** The URLs that a report's crawler left out, in the order found. */
export async function listExcludedUrls(
  db: Kysely<Database>,
  reportId: string,
  page: Page,
): Promise<Paginated<ExcludedUrlRow>> {
  const found = db.selectFrom("excluded_urls").where("report_id", "=", reportId);
  return readPage(found, found.selectAll().orderBy("id"), page);
}
