import { setTimeout as sleep } from "node:timers/promises";
import type { Kysely } from "kysely";
import { keysOfDevices } from "../browser/devices.ts";
import { needsCrawl, performedKinds } from "../checks/kinds.ts";
import { connect } from "../database/connection/connect.ts";
import type { ConnectionLimits } from "../database/connection/connection-options.ts";
import { withReconnect } from "../database/connection/session.ts";
import { CrawlGoneError, loadCrawl, loadProgress } from "../database/crawl/crawl.ts";
import { readSeenLinks } from "../database/crawl/inbound-links.ts";
import { countSources } from "../database/crawl/page-sources.ts";
import { takeSlots } from "../database/crawl/rate-limits.ts";
import { type CrawlSession, openCrawlSession } from "../database/crawl/session.ts";
import { keepSignInPictures } from "../database/reports/sign-in-pictures.ts";
import type { Database } from "../database/tables.ts";
import { createActRule } from "../domain/acts/rule.ts";
import { errorText } from "../domain/error-text.ts";
import { BrokenEnvironmentError } from "../domain/errors.ts";
import { credentialsFor, type SiteCredentials } from "../domain/headers/site-credentials.ts";
import { productToken } from "../domain/headers/user-agent.ts";
import { isCrawlOver } from "../domain/report-over.ts";
import { createSiteMask } from "../domain/sign-in/known-secrets.ts";
import type { SiteSession } from "../domain/sign-in/session.ts";
import type { KeepPictures } from "../domain/sign-in/sign-in-picture.ts";
import type { AddressPolicy } from "../net/addresses.ts";
import { createGuardedFetch } from "../net/guarded-fetch.ts";
import { createHostBreaker } from "../net/host-breaker.ts";
import { createRetryPolicy } from "../net/retry-policy.ts";
import { standingOf } from "../net/standing.ts";
import { tlsOf } from "../net/tls-trust.ts";
import { withCredentials } from "../net/with-credentials.ts";
import { withRetries } from "../net/with-retries.ts";
import type { ReportSpec } from "../schema/report.ts";
import type { Logger } from "../telemetry/log.ts";
import { createSlotQueue } from "../time/slot-queue.ts";
import { beginCrawl } from "../transactions/crawl.ts";
import { createBacklog, type Sources } from "./backlog.ts";
import { createBatchWriter } from "./batch-writer.ts";
import { crawl } from "./crawl.ts";
import { createFrontier, type Frontier, restore } from "./frontier.ts";
import { readListedUrls } from "./listed-urls.ts";
import type { PageFetcher } from "./page-fetcher.ts";
import { retryingFetcher } from "./retrying-fetcher.ts";
import { createRobotsReader } from "./robots-txt.ts";
import { sessionFetcher } from "./session-fetcher.ts";
import { createStaticFetcher } from "./static-fetcher.ts";

/** Parallel fetches. One page in a browser already keeps a core busy. */
const CONCURRENCY = { static: 8, dynamic: 2 };

export type CrawlReportOptions = {
  databaseUrl: string;
  reportId: string;
  /** Which addresses a report may visit. */
  policyOf: (spec: ReportSpec, ofGuest: boolean) => Promise<AddressPolicy>;
  /** Starts the browser of a dynamic crawl. */
  openBrowser: (
    spec: ReportSpec,
    policy: AddressPolicy,
    credentials: SiteCredentials | undefined,
  ) => Promise<PageFetcher>;
  /** Sent only to the host that they belong to. */
  credentials?: SiteCredentials | undefined;
  /** The session that the credentials begin, if they do. */
  sessionOf?: (given: {
    db: Kysely<Database>;
    spec: ReportSpec;
    policy: AddressPolicy;
    pictures: KeepPictures;
  }) => SiteSession | undefined;
  /** A file with more URLs to visit. */
  urlListFile?: string | undefined;
  signal: AbortSignal;
  log: Logger;
  /** How many pages and bytes may be unchecked before the crawl waits for the checks. */
  maxUnchecked?: Sources;
  /** Limits of the crawl's database connections. */
  databaseLimits?: Partial<ConnectionLimits>;
};

/**
 * Crawls the site of one report, from where the last crawler stopped.
 *
 * @returns false when there is nothing to crawl (any more): the report is deleted or another crawler ended it
 * @throws the signal's reason when it ends the crawl early; the pages processed so far are stored
 */
export async function crawlReport(options: CrawlReportOptions): Promise<boolean> {
  const { databaseUrl, reportId, signal, log } = options;
  const session = openCrawlSession({
    url: databaseUrl,
    reportId,
    signal,
    limits: options.databaseLimits,
    onLoss: (error) => log.warn("database connection lost", { error }),
  });
  try {
    const report = await session.run((db) => loadCrawl(db, reportId));
    if (!report || isCrawlOver(report.state)) {
      log.info("nothing to do", { state: report?.state ?? "no such report" });
      return false;
    }
    const { spec, ofGuest } = report;
    const policy = await options.policyOf(spec, ofGuest);
    const frontier = createFrontier(
      {
        host: new URL(spec.startingUrl).host,
        sameSite: spec.sameSite,
        exclusions: spec.exclusions,
        includeGlobs: spec.includeGlobs,
        excludeGlobs: spec.excludeGlobs,
        ignoredParameters: spec.ignoredParameters.map((name) => name.toLowerCase()),
        followHashRoutes: spec.followHashRoutes,
        inSession: options.credentials !== undefined,
        acts: createActRule(spec, standingOf({ credentials: options.credentials, policy })),
      },
      spec.maxPages,
    );
    frontier.startForms = report.startForms;
    if (report.state === "crawling") await restoreProgress(session, reportId, frontier);
    else await session.run((db) => beginCrawl(db, reportId));
    log.info("crawling", { url: spec.startingUrl, pages: frontier.pageCount, known: frontier.known.size });
    const state = await crawlSite(options, session, {
      ...{ spec, policy, frontier },
      startFailure: report.failure,
      siteOrigin: report.siteOrigin,
    });
    log.info("the crawl has ended", { state, pages: frontier.pageCount, excluded: frontier.excluded.size });
    return true;
  } catch (error) {
    if (!(error instanceof CrawlGoneError)) throw error;
    log.info("stopped", { reason: error.message });
    return false;
  } finally {
    await session.close();
  }
}

async function restoreProgress(session: CrawlSession, reportId: string, frontier: Frontier): Promise<void> {
  const countAgain = restore(frontier, await session.run((db) => loadProgress(db, reportId)));
  for (;;) {
    const entries = await session.run((db) => readSeenLinks(db, reportId, frontier.inbound.next));
    if (entries.length === 0) return;
    for (const entry of entries) countAgain(entry);
  }
}

type Work = Pick<Parameters<typeof crawl>[0], "spec" | "frontier" | "startFailure" | "siteOrigin">;

async function crawlSite(
  options: CrawlReportOptions,
  session: CrawlSession,
  { policy, ...work }: Work & { policy: AddressPolicy },
): Promise<"ended" | "failed"> {
  const { spec, frontier } = work;
  // Stops the fetches that are still running when the crawl fails, for example because of a failed write.
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const client = createGuardedFetch(policy, {
    userAgent: spec.userAgent,
    timeoutMs: spec.pageTimeoutSeconds * 1_000,
  });
  const side = sideConnections(options);
  // The crawler is the first to sign in: one set of pictures is enough.
  const siteSession = options.sessionOf?.({
    db: side,
    spec,
    policy,
    pictures: {
      keep: (pictures) => session.run((db) => keepSignInPictures(db, options.reportId, pictures)),
      ofEachStep: spec.storeScreenshot,
    },
  });
  const given = options.credentials && { ...options.credentials, session: siteSession };
  const http = withCredentials(client, credentialsFor(spec.startingUrl, given));
  const retryPolicy = createRetryPolicy();
  const breaker = createHostBreaker();
  const frames = spec.followFrames;
  const references = !spec.dynamicCrawler && performedKinds(spec).some(needsCrawl);
  const lists = retryingFetcher(retryPolicy, breaker, createStaticFetcher(http, { frames, references }));
  const awaitSlot = createSlots(side, options.reportId, spec.rateLimit, signal);
  const kinds = performedKinds(spec);
  const listed = await readListedUrls(options.urlListFile);
  const mask = createSiteMask(given, spec.startingUrl);
  const writer = createBatchWriter(frontier, { reportId: options.reportId, kinds, run: session.run, mask });
  let pages = sessionFetcher(lists, siteSession);
  try {
    if (spec.dynamicCrawler) {
      const rendered = await options.openBrowser(spec, policy, given);
      pages = sessionFetcher(retryingFetcher(retryPolicy, breaker, rendered), siteSession);
    }
    return await crawl({
      backlog: backlogOf(options, session, signal),
      ...work,
      writer,
      pages,
      lists,
      listed,
      devices: await keysOfDevices(spec.devices),
      isVerified: ({ protocol, hostname, port }) =>
        protocol !== "https:" || !tlsOf(policy.tls, hostname, Number(port) || 443).insecure,
      signal,
      log: options.log,
      concurrency: spec.dynamicCrawler ? CONCURRENCY.dynamic : CONCURRENCY.static,
      awaitSlot,
      robotsOf: createRobotsReader(withRetries(http, retryPolicy), {
        signal,
        awaitSlot,
        product: productToken(spec.userAgent),
      }),
    });
  } catch (error) {
    stop.abort(error);
    // Stores the processed pages, so that the next crawler does not fetch them again.
    if (options.signal.aborted) await writer.flush();
    throw error;
  } finally {
    if (spec.dynamicCrawler) await pages.close();
    await lists.close();
    await siteSession?.close();
    await side.destroy();
  }
}

function backlogOf({ reportId, log, maxUnchecked }: CrawlReportOptions, session: CrawlSession, signal: AbortSignal) {
  return createBacklog({
    read: () => session.run((db) => countSources(db, reportId)),
    sleep: (ms) => sleep(ms, undefined, { signal }),
    now: () => performance.now(),
    log,
    ...(maxUnchecked && { limits: maxUnchecked }),
  });
}

/** Connections besides that of the crawl, which is often busy with a batch: for the rate limit, and the session of the site. */
function sideConnections({ databaseUrl, databaseLimits }: CrawlReportOptions): Kysely<Database> {
  return connect({
    url: databaseUrl,
    limits: databaseLimits,
    applicationName: "site-validator crawler",
    maxConnections: 2,
    onIdleError: () => {},
  });
}

/** The report's rate limit. */
function createSlots(db: Kysely<Database>, reportId: string, rateLimit: number, signal: AbortSignal) {
  return createSlotQueue({
    rateLimit,
    take: (wanted) =>
      withReconnect(() => takeSlots(db, reportId, rateLimit, wanted), { signal }).catch((error) => {
        signal.throwIfAborted();
        throw new BrokenEnvironmentError(`The rate limit could not be read: ${errorText(error)}`);
      }),
    sleep: (ms) => sleep(ms, undefined, { signal }),
  });
}
