import { type Kysely, sql } from "kysely";
import { encodeSource, sourceRow } from "../../src/database/crawl/page-sources.ts";
import { addCounts } from "../../src/database/reports/check-counts.ts";
import type { Database } from "../../src/database/tables.ts";
import type { CheckKind } from "../../src/domain/findings/findings.ts";
import type { CrawlState } from "../../src/domain/report-over.ts";

/** A document without findings but those of its body. */
export const htmlPage = (body: string): string =>
  `<!DOCTYPE html>\n<html lang="en">\n<head><title>t</title></head>\n<body>\n${body}\n</body>\n</html>`;

/** Pages with queued checks and sources, as the crawler leaves them. @returns the pages' ids */
export async function queuePages(
  db: Kysely<Database>,
  reportId: string,
  sources: readonly string[],
  kinds: readonly CheckKind[] = ["html"],
  crawlState: CrawlState = "ended",
): Promise<string[]> {
  return db.transaction().execute(async (trx) => {
    const ids: string[] = [];
    const { count } = await trx
      .selectFrom("web_pages")
      .select((eb) => eb.fn.countAll<string>().as("count"))
      .where("report_id", "=", reportId)
      .executeTakeFirstOrThrow();
    for (const [i, source] of sources.entries()) {
      const url = `https://example.com/${Number(count) + i}`;
      const { id } = await trx
        .insertInto("web_pages")
        .values({ report_id: reportId, url, http_status: 200 })
        .returning("id")
        .executeTakeFirstOrThrow();
      ids.push(id);
      await trx
        .insertInto("checks")
        .values(kinds.map((kind) => ({ report_id: reportId, web_page_id: id, kind })))
        .execute();
      if (kinds.includes("html")) {
        await trx
          .insertInto("page_sources")
          .values(sourceRow(id, await encodeSource({ source, contentType: "text/html" })))
          .execute();
      }
    }
    const changes = kinds.map((kind) => [kind, { pending: sources.length }]);
    await sql`
      with report as (
        update reports set crawl_state = ${crawlState}, num_pages = num_pages + ${sources.length}
        where id = ${reportId} returning id
      )
      ${addCounts(Object.fromEntries(changes))}`.execute(trx);
    return ids;
  });
}
