import type { CrawledSite, EngineStart } from "../../src/checker/engine.ts";
import { createLinksRunner } from "../../src/checker/engines/links/runner.ts";
import { runChecker } from "../../src/checker/run-checker.ts";
import type { PageFetcher } from "../../src/crawler/page-fetcher.ts";
import { createSourceFetcher } from "../../src/crawler/source-fetcher.ts";
import type { SiteCredentials } from "../../src/domain/headers/site-credentials.ts";
import { createCrawledSite } from "../../src/main/wiring/crawled-site.ts";
import { addressPolicy } from "../../src/net/addresses.ts";
import type { TlsTrust } from "../../src/net/tls-trust.ts";
import type { ReportSpec } from "../../src/schema/report.ts";
import { createLogger } from "../../src/telemetry/log.ts";
import { insertReport } from "./builders.ts";
import { runCrawl } from "./crawl.ts";
import type { TestDatabase } from "./database.ts";

/** What link checks found. */
export type FoundLink = { page: string; rule: string; message: string; extract: string; line: number | null };

const log = createLogger("error", { program: "test" });

/** Crawls a site and checks its links. @param options.site what is known otherwise of it @param options.renderer opens pages whose scripts may make places @returns the report's id */
export async function reportOfLinks(
  database: TestDatabase,
  spec: Partial<ReportSpec>,
  options: {
    credentials?: SiteCredentials | undefined;
    tls?: TlsTrust | undefined;
    cidrs?: string[];
    openBrowser?: () => Promise<PageFetcher>;
    onCrawled?: () => void;
    signal?: AbortSignal;
    site?: Partial<CrawledSite>;
    renderer?: PageFetcher;
  } = {},
): Promise<string> {
  const whole = { maxPages: 0, rateLimit: 0, performHtmlChecks: false, performLinkChecks: true, ...spec };
  const reportId = await insertReport(database.db, { spec: whole });
  await runCrawl(database, reportId, options);
  options.onCrawled?.();
  await checkLinks(database, reportId, options);
  return reportId;
}

/** Runs the checker of links until its queue is empty, or is stopped. */
export async function checkLinks(
  { db, url: databaseUrl }: TestDatabase,
  reportId: string,
  {
    credentials,
    tls,
    cidrs = ["127.0.0.0/8"],
    signal = new AbortController().signal,
    site: given = {},
    renderer: fetcher,
  }: {
    credentials?: SiteCredentials | undefined;
    tls?: TlsTrust | undefined;
    cidrs?: string[];
    signal?: AbortSignal;
    site?: Partial<CrawledSite>;
    renderer?: PageFetcher;
  } = {},
): Promise<void> {
  const { spec } = await db.selectFrom("reports").select("spec").where("id", "=", reportId).executeTakeFirstOrThrow();
  const policy = { ...addressPolicy(cidrs), ...(tls && { tls }) };
  const sources = createSourceFetcher({ db, reportId, policy, credentials });
  const { readAgain } = sources;
  const rendered = fetcher && createSourceFetcher({ db, reportId, policy, credentials, fetcher, records: false });
  const render = rendered?.readAgain;
  const site = async () => ({
    ...createCrawledSite({ db, reportId, spec, policy, credentials, readAgain, render, signal }),
    ...given,
  });
  const runner = await createLinksRunner({ spec, site } as EngineStart);
  const context = { reportId, kind: "links", spec } as const;
  try {
    await runChecker({ db, databaseUrl, context, runner, log, now: () => new Date(), signal });
  } finally {
    await sources.close();
    await rendered?.close();
  }
}

/** The findings of link checks, by page and in the order found. */
export async function foundLinks({ db }: TestDatabase, reportId: string): Promise<FoundLink[]> {
  const rows = await db
    .selectFrom("issues")
    .innerJoin("web_pages", "web_pages.id", "issues.web_page_id")
    .select(["web_pages.url as page", "rule", "message", "html"])
    .where("issues.report_id", "=", reportId)
    .where("kind", "=", "links")
    .orderBy("issues.id")
    .execute();
  return rows.flatMap(({ page, rule, message, html }) =>
    html.map(({ extract, coordinates }) => ({
      ...{ page, rule: rule ?? "", message, extract },
      line: coordinates?.first_line ?? null,
    })),
  );
}
