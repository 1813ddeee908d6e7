import type { Kysely } from "kysely";
import { crawlReport } from "../../src/crawler/crawl-report.ts";
import { decodeSource } from "../../src/database/page-sources.ts";
import type { Database } from "../../src/database/tables.ts";
import { addressPolicy } from "../../src/net/addresses.ts";
import type { ReportSpec } from "../../src/schema/report.ts";
import { createLogger } from "../../src/telemetry/log.ts";
import { insertReport } from "./builders.ts";
import type { TestDatabase } from "./database.ts";

/** Inserts a report without limits, crawls it in this process, and reads what was stored. */
export async function crawlSite(database: TestDatabase, spec: Partial<ReportSpec>, cidrs = ["127.0.0.0/8"]) {
  const reportId = await insertReport(database.db, { spec: { maxPages: 0, rateLimit: 0, ...spec } });
  await runCrawl(database, reportId, { cidrs });
  return readCrawl(database.db, reportId);
}

/** Runs the crawler of a report that exists. */
export function runCrawl(
  database: TestDatabase,
  reportId: string,
  { cidrs = ["127.0.0.0/8"], signal = new AbortController().signal } = {},
): Promise<boolean> {
  return crawlReport({
    databaseUrl: database.url,
    reportId,
    policy: addressPolicy(cidrs),
    openBrowser: () => Promise.reject(new Error("no browser in this test")),
    signal,
    log: createLogger("error", { program: "test" }),
  });
}

/** Everything that a crawl stores. */
export async function readCrawl(db: Kysely<Database>, reportId: string) {
  const inReport = (table: "web_pages" | "excluded_urls" | "checks" | "frontier") =>
    db.selectFrom(table).where("report_id", "=", reportId);
  const pages = await inReport("web_pages").selectAll().orderBy("id").execute();
  const excluded = await inReport("excluded_urls").selectAll().orderBy("id").execute();
  const checks = await inReport("checks").selectAll().orderBy("id").execute();
  const sources = await db
    .selectFrom("page_sources")
    .innerJoin("web_pages", "web_pages.id", "page_sources.web_page_id")
    .select(["url", "encoding", "body"])
    .where("report_id", "=", reportId)
    .execute();
  const { waiting } = await inReport("frontier")
    .where("done", "=", false)
    .select((eb) => eb.fn.countAll<string>().as("waiting"))
    .executeTakeFirstOrThrow();
  return {
    reportId,
    report: await db.selectFrom("reports").selectAll().where("id", "=", reportId).executeTakeFirstOrThrow(),
    pages,
    /** In the order stored. */
    urls: pages.map(({ url }) => url),
    excluded,
    /** URL to reason. */
    reasons: Object.fromEntries(excluded.map(({ url, reason }) => [url, reason])),
    checks,
    sources: Object.fromEntries(
      await Promise.all(sources.map(async ({ url, ...source }) => [url, await decodeSource(source)] as const)),
    ),
    waiting: Number(waiting),
  };
}
