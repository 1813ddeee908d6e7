import type { Kysely, Selectable } from "kysely";
import type { Listed, Page } from "./lists.ts";
import type { Database } from "./tables.ts";

export type ExcludedUrlRow = Selectable<Database["excluded_urls"]>;

/** The URLs that a report's Spider left out, in the order found. */
export async function listExcludedUrls(
  db: Kysely<Database>,
  reportId: string,
  page: Page,
): Promise<Listed<ExcludedUrlRow>> {
  const found = db.selectFrom("excluded_urls").where("report_id", "=", reportId);
  const { total } = await found.select((eb) => eb.fn.countAll<string>().as("total")).executeTakeFirstOrThrow();
  const rows = await found.selectAll().orderBy("id").limit(page.limit).offset(page.offset).execute();
  return { rows, total: Number(total) };
}
