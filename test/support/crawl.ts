import type { Kysely } from "kysely";
import { crawlReport } from "../../src/crawler/crawl-report.ts";
import type { PageFetcher } from "../../src/crawler/page-fetcher.ts";
import type { ConnectionLimits } from "../../src/database/connection/connection-options.ts";
import { decodeSource } from "../../src/database/crawl/page-sources.ts";
import type { Database } from "../../src/database/tables.ts";
import type { SiteCredentials } from "../../src/domain/headers/site-credentials.ts";
import { addressPolicy } from "../../src/net/addresses.ts";
import type { TlsTrust } from "../../src/net/tls-trust.ts";
import type { ReportSpec } from "../../src/schema/report.ts";
import { createLogger } from "../../src/telemetry/log.ts";
import { insertReport } from "./builders.ts";
import { readReport } from "./check-counts.ts";
import type { TestDatabase } from "./database.ts";
import { type Routes, type Site, serveSite } from "./site.ts";

/** Inserts a report without limits, crawls it in this process, and reads what was stored. */
export async function crawlSite(database: TestDatabase, spec: Partial<ReportSpec>, cidrs = ["127.0.0.0/8"]) {
  const reportId = await insertReport(database.db, { spec: { maxPages: 0, rateLimit: 0, ...spec } });
  await runCrawl(database, reportId, { cidrs });
  return readCrawl(database.db, reportId);
}

/** Runs the crawler for an existing report. */
export function runCrawl(
  database: TestDatabase,
  reportId: string,
  {
    cidrs = ["127.0.0.0/8"],
    signal = new AbortController().signal,
    limits = {},
    openBrowser = () => Promise.reject(new Error("no browser in this test")),
    maxUnchecked,
    credentials,
    tls,
  }: {
    cidrs?: string[];
    signal?: AbortSignal;
    limits?: Partial<ConnectionLimits>;
    openBrowser?: () => Promise<PageFetcher>;
    maxUnchecked?: { pages: number; bytes: number };
    credentials?: SiteCredentials | undefined;
    tls?: TlsTrust | undefined;
  } = {},
): Promise<boolean> {
  return crawlReport({
    databaseUrl: database.url,
    reportId,
    policyOf: async () => ({ ...addressPolicy(cidrs), ...(tls && { tls }) }),
    openBrowser,
    signal,
    databaseLimits: limits,
    credentials,
    ...(maxUnchecked && { maxUnchecked }),
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
    .select(["url", "encoding", "body", "content_type as contentType", "charset"])
    .where("report_id", "=", reportId)
    .execute();
  const { waiting } = await inReport("frontier")
    .where("done", "=", false)
    .select((eb) => eb.fn.countAll<string>().as("waiting"))
    .executeTakeFirstOrThrow();
  return {
    reportId,
    report: await readReport(db, reportId),
    pages,
    /** In the order stored. */
    urls: pages.map(({ url }) => url),
    excluded,
    /** URL to reason. */
    reasons: Object.fromEntries(excluded.map(({ url, reason }) => [url, reason])),
    checks,
    sources: Object.fromEntries(
      await Promise.all(sources.map(async ({ url, ...stored }) => [url, (await decodeSource(stored)).source] as const)),
    ),
    waiting: Number(waiting),
  };
}

/** A small page with links. */
export function pageOf(...links: string[]): string {
  return `<!DOCTYPE html><title>A page</title>${links.map((link) => `<a href="${link}">x</a>`).join("")}`;
}

type Spec = Partial<ReportSpec> & { start?: string };

/** Serves the routes and crawls them from `start` (default: `/`). */
export type CrawlRoutes = (routes: Routes, spec?: Spec) => ReturnType<typeof crawlRoutes>;

/** Fixture sites that are closed together. */
export function fixtureSites() {
  const sites: Site[] = [];
  const serve = async (routes: Routes): Promise<Site> => {
    const site = await serveSite(routes);
    sites.push(site);
    return site;
  };
  return {
    serve,
    crawl: async (database: TestDatabase, routes: Routes, spec: Spec = {}) =>
      crawlRoutes(database, await serve(routes), spec),
    async close(): Promise<void> {
      for (const site of sites.splice(0)) await site.close();
    },
  };
}

/** What a crawl of a site stores, with the site's URLs shortened to paths. */
async function crawlRoutes(database: TestDatabase, site: Site, { start = "/", ...spec }: Spec) {
  const crawled = await crawlSite(database, { startingUrl: `${site.origin}${start}`, ...spec });
  const path = (url: string | null) => (url ?? "").replace(site.origin, "");
  const all = [...crawled.pages, ...crawled.excluded];
  return {
    ...crawled,
    site,
    paths: crawled.urls.map(path),
    left: Object.fromEntries(crawled.excluded.map(({ url, reason }) => [path(url), reason])),
    from: Object.fromEntries(all.map((row) => [path(row.url), path(row.linked_from)])),
    requested: site.requests.map((request) => request.path),
  };
}
