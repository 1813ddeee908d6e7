import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Config, readConfig, requireDatabaseUrl } from "../config.ts";
import { createBatchWriter } from "../crawler/batch-writer.ts";
import { crawl } from "../crawler/crawl.ts";
import { createLedger, restore } from "../crawler/ledger.ts";
import type { PageFetcher } from "../crawler/page-fetcher.ts";
import { createRobotsReader } from "../crawler/robots-txt.ts";
import { createStaticFetcher } from "../crawler/static-fetcher.ts";
import { connect } from "../database/connect.ts";
import { beginCrawl, CrawlGone, loadCrawl, loadProgress } from "../database/crawl.ts";
import { type CrawlSession, openCrawlSession } from "../database/crawl-session.ts";
import { reserveSlot } from "../database/rate-limits.ts";
import { withReconnect } from "../database/retry.ts";
import { exitCodes, UsageError } from "../domain/errors.ts";
import type { CheckKind } from "../domain/findings.ts";
import { addressPolicy } from "../net/addresses.ts";
import { createGuardedFetch } from "../net/guarded-fetch.ts";
import type { ReportSpec } from "../schema/report.ts";
import { createLogger, type Logger } from "../telemetry/log.ts";
import { runProgram } from "./program.ts";

/** Fetches at once; a browser keeps a core busy with one page. */
const CONCURRENCY = { static: 8, dynamic: 2 };

/** Crawls the site of one report and ends: `crawler --report ID --run N`. */
export async function main(args: string[]): Promise<void> {
  await runProgram(async (signal) => {
    const { report, run } = parseArguments(args);
    const config = readConfig(process.env);
    const log = createLogger(config.logLevel, {
      ...{ program: "crawler", report_id: report, run },
      ...(config.requestId ? { request_id: config.requestId } : {}),
    });
    const session = openCrawlSession({
      url: requireDatabaseUrl(config),
      reportId: report,
      signal,
      onLoss: (error) => log.warn("database connection lost", { error: error.message }),
    });
    try {
      return await crawlReport(config, session, report, signal, log);
    } catch (error) {
      if (error instanceof CrawlGone) {
        log.info("stopped", { reason: error.message });
        return exitCodes.ok;
      }
      if (!signal.aborted) throw error;
      // Whoever runs this report's crawler next goes on where it was.
      log.info("stopped", { reason: String(signal.reason) });
      return exitCodes.failed;
    } finally {
      await session.close();
    }
  });
}

async function crawlReport(
  config: Config,
  session: CrawlSession,
  reportId: string,
  signal: AbortSignal,
  log: Logger,
): Promise<number> {
  const report = await session.run((db) => loadCrawl(db, reportId));
  if (!report || report.state === "ended" || report.state === "failed") {
    log.info("nothing to do", { state: report?.state ?? "no such report" });
    return exitCodes.ok;
  }
  const { spec } = report;
  const ledger = createLedger({ host: new URL(spec.startingUrl).host, exclusions: spec.exclusions }, spec.maxPages);
  if (report.state === "crawling") restore(ledger, await session.run((db) => loadProgress(db, reportId)));
  else await session.run((db) => beginCrawl(db, reportId));
  log.info("crawling", { url: spec.startingUrl, pages: ledger.pageCount, known: ledger.known.size });

  // Stops the fetches under way when writing fails.
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const http = createGuardedFetch(readPolicy(config));
  const lists = createStaticFetcher(http);
  let pages: PageFetcher = lists;
  const limiter = createLimiter(config, reportId, spec, either);
  const kinds: CheckKind[] = [
    ...(spec.performHtmlChecks ? (["html"] as const) : []),
    ...(spec.performA11yChecks ? (["a11y"] as const) : []),
  ];
  const writer = createBatchWriter(ledger, { reportId, kinds, run: session.run });
  try {
    if (spec.dynamicCrawler) pages = await openBrowser(config, spec, log);
    const state = await crawl({
      ...{ spec, ledger, startFailure: report.failure, writer, pages, lists, signal: either },
      concurrency: spec.dynamicCrawler ? CONCURRENCY.dynamic : CONCURRENCY.static,
      awaitSlot: limiter.awaitSlot,
      robotsOf: createRobotsReader(http, { signal: either, awaitSlot: limiter.awaitSlot }),
    });
    log.info("crawl over", { state, pages: ledger.pageCount, excluded: ledger.excluded.size });
    return exitCodes.ok;
  } catch (error) {
    stop.abort(error);
    // What is settled is kept, so that the next run need not fetch it again.
    if (signal.aborted) await writer.flush();
    throw error;
  } finally {
    if (pages !== lists) await pages.close();
    await lists.close();
    await limiter.close();
  }
}

function parseArguments(args: string[]): { report: string; run: number } {
  let values: { report?: string | undefined; run?: string | undefined };
  try {
    ({ values } = parseArgs({
      args,
      strict: true,
      allowPositionals: false,
      options: { report: { type: "string" }, run: { type: "string" } },
    }));
  } catch (error) {
    throw new UsageError(`crawler: ${(error as Error).message}`);
  }
  const { report = "", run = "" } = values;
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(report))
    throw new UsageError(`crawler: --report is ${JSON.stringify(report)}; it must be the id of a report (a UUID).`);
  if (!/^\d{1,9}$/.test(run))
    throw new UsageError(`crawler: --run is ${JSON.stringify(run)}; it must be the number of the run.`);
  return { report, run: Number(run) };
}

function readPolicy(config: Config) {
  try {
    return addressPolicy(config.allowedPrivateCidrs);
  } catch (error) {
    throw new UsageError(`ALLOWED_PRIVATE_CIDRS: ${(error as Error).message}`);
  }
}

/** Browsers cost a second to load: only when asked for. */
async function openBrowser(config: Config, spec: ReportSpec, log: Logger): Promise<PageFetcher> {
  const module: string = "../crawler/dynamic-fetcher.ts";
  const { createDynamicFetcher } = await import(module);
  const { chromePath, allowedPrivateCidrs } = config;
  return createDynamicFetcher({ chromePath, allowedPrivateCidrs, spec, log });
}

/** The report's rate limit, on connections of its own: slots are reserved while batches are written. */
function createLimiter(config: Config, reportId: string, spec: ReportSpec, signal: AbortSignal) {
  if (spec.rateLimit === 0) return { awaitSlot: async () => {}, close: async () => {} };
  const db = connect({
    url: requireDatabaseUrl(config),
    applicationName: "site-validator crawler",
    maxConnections: 2,
    onIdleError: () => {},
  });
  return {
    async awaitSlot() {
      const wait = await withReconnect(() => reserveSlot(db, reportId, spec.rateLimit), { signal });
      if (wait > 0) await sleep(wait, undefined, { signal });
    },
    close: () => db.destroy(),
  };
}
