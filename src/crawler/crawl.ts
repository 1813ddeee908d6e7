import { encodeSource } from "../database/page-sources.ts";
import type { ExclusionReason, Failure } from "../domain/failure.ts";
import { isAllowedByRobots, type Robots } from "../domain/robots.ts";
import { isTrap, judgeUrl, matchedExclusion, normaliseUrl } from "../domain/url-scope.ts";
import type { ReportSpec } from "../schema/report.ts";
import type { BatchWriter } from "./batch-writer.ts";
import { discover, type Entry, type Ledger, MAX_EXCLUDED, next, plan } from "./ledger.ts";
import type { PageFetcher } from "./page-fetcher.ts";
import { type Answer, type Outcome, Refused, type SettleOptions, settle, toOutcome } from "./settle.ts";
import { createVisits, type Visits } from "./visits.ts";

export type CrawlOptions = {
  spec: ReportSpec;
  /** Restored from what an earlier run stored. */
  ledger: Ledger;
  /** Stored by an earlier run. */
  startFailure: Failure | undefined;
  writer: BatchWriter;
  /** Gets pages. */
  pages: PageFetcher;
  /** Gets sitemaps and text lists when `pages` cannot. */
  lists: PageFetcher;
  /** Fetches at once. */
  concurrency: number;
  /** Waits for the rate limit. */
  awaitSlot: () => Promise<void>;
  /** The rules of an origin's robots.txt. */
  robotsOf: (origin: string) => Promise<Robots>;
  signal: AbortSignal;
};

/**
 * Visits a site breadth first. Pages are fetched side by side, but their answers are
 * settled in the order of the visits: which pages a report has does not depend on which
 * server was quick. No page is requested beyond `maxPages`.
 */
export async function crawl(options: CrawlOptions): Promise<"ended" | "failed"> {
  const { ledger, spec, writer } = options;
  if (ledger.nextPosition === 0) plan(ledger, normaliseUrl(spec.startingUrl), 0, null);
  else await moveTo(options, siteOf(ledger, spec.startingUrl));

  const visits = createVisits();
  const settleOptions: SettleOptions = {
    preferCanonicalUrls: spec.preferCanonicalUrls,
    deepCrawl: spec.deepCrawl,
    fetchCanonical: (url) => fetchCanonical(options, url, visits.outcomeOf(url)),
  };
  let { startFailure } = options;
  for (;;) {
    beginVisits(options, visits);
    const first = visits.first();
    if (!first) break;
    if (!first.over) {
      await visits.anyOver();
      options.signal.throwIfAborted();
      continue;
    }
    const outcome = await first.outcome;
    if (first.entry.position === 0) await arrive(options, outcome);
    await settle(ledger, first.entry, outcome, settleOptions);
    visits.shift();
    startFailure = ledger.batch.startFailure ?? startFailure;
    await writer.changed();
  }

  const failure = ledger.goodPages > 0 ? undefined : (startFailure ?? nothingFound(ledger, spec.startingUrl));
  const state = failure ? "failed" : "ended";
  await writer.end({ state, failure, mostExcluded: MAX_EXCLUDED });
  return state;
}

/** As many visits as may be under way: each one could be a page, and there may be `maxPages` in all. */
function beginVisits(options: CrawlOptions, visits: Visits): void {
  const { ledger, spec, concurrency } = options;
  while (
    visits.hasRoom(concurrency) &&
    (spec.maxPages === 0 || ledger.pageCount + visits.size < spec.maxPages) &&
    // Before the start has answered nothing else is known of the site.
    visits.first()?.entry.position !== 0
  ) {
    const entry = next(ledger);
    if (!entry) return;
    visits.begin(entry, fetchEntry(options, entry));
  }
}

/** The starting URL decides which site is meant; the initial URLs come right after it. */
async function arrive(options: CrawlOptions, outcome: Outcome): Promise<void> {
  const { ledger, spec } = options;
  await moveTo(options, new URL("page" in outcome ? outcome.page.url : spec.startingUrl));
  for (const url of spec.initialUrls) discover(ledger, url, 0, null);
}

async function moveTo({ ledger, spec, robotsOf }: CrawlOptions, site: URL): Promise<void> {
  ledger.scope = { ...ledger.scope, host: site.host };
  if (!spec.respectRobots) return;
  const robots = await robotsOf(site.origin);
  ledger.allowed = (url) => isAllowedByRobots(robots, url);
}

/** Where an earlier run had moved to: everything that was found there is of that host. */
function siteOf(ledger: Ledger, startingUrl: string): URL {
  const start = normaliseUrl(startingUrl);
  for (const { url, state, position } of ledger.known.values())
    if (url !== start && (position > 0 || state === "page" || state === "failed")) return new URL(url);
  return new URL(start);
}

async function fetchEntry(options: CrawlOptions, entry: Entry): Promise<Outcome> {
  const isStart = entry.position === 0;
  try {
    if (isStart) await checkStart(options, entry.url);
    const wanted = { signal: options.signal, beforeRequest: guard(options, entry.url, isStart) };
    // Only what somebody named as a starting point, or a sitemap listed, may be a list.
    const lists = entry.depth < 0 || (entry.depth === 0 && entry.linkedFrom === null);
    const page = await (entry.depth < 0 ? options.lists : options.pages).fetch(entry.url, { ...wanted, lists });
    const mayBeList = lists && page.kind === "other" && page.status < 400 && options.lists !== options.pages;
    const { source, ...answer } = mayBeList ? await options.lists.fetch(entry.url, { ...wanted, lists }) : page;
    const kept = options.spec.performHtmlChecks && source ? await encodeSource(source) : undefined;
    return { page: { ...answer, source: kept, isEmpty: !source } };
  } catch (error) {
    options.signal.throwIfAborted();
    return toOutcome(error);
  }
}

/** The starting URL may be on any host, but the report's own rules hold for it. */
async function checkStart({ spec, ledger, robotsOf }: CrawlOptions, url: string): Promise<void> {
  if (matchedExclusion(url, ledger.scope) !== undefined) throw new Refused("exclusion", url);
  if (isTrap(new URL(url))) throw new Refused("trap", url);
  if (spec.respectRobots && !isAllowedByRobots(await robotsOf(new URL(url).origin), url))
    throw new Refused("robots", url);
}

/** Before each request: whether a redirect leads where the Spider may go, and the rate limit. */
function guard(options: CrawlOptions, first: string, isStart: boolean): (url: string) => Promise<void> {
  return async (requested) => {
    const url = normaliseUrl(requested);
    const reason = url === first ? undefined : refusal(options.ledger, url, isStart);
    if (reason) throw new Refused(reason, url);
    await options.awaitSlot();
  };
}

/** Why a redirect is not followed. The starting URL may move to any host. */
function refusal(ledger: Ledger, url: string, isStart: boolean): ExclusionReason | undefined {
  if (isStart) return matchedExclusion(url, ledger.scope) === undefined ? undefined : "exclusion";
  const verdict = judgeUrl(url, ledger.scope);
  if (verdict.kind === "skip") return verdict.reason;
  if (!ledger.allowed(url)) return "robots";
  // No need to ask for what is stored.
  return ledger.known.get(url)?.state === "page" ? "duplicate_redirect" : undefined;
}

async function fetchCanonical(
  options: CrawlOptions,
  url: string,
  begun: Promise<Outcome> | undefined,
): Promise<Answer | undefined> {
  const outcome = await (begun ??
    fetchEntry(options, { url, position: -1, depth: 1, linkedFrom: null, state: "running" }));
  if (!("page" in outcome)) return undefined;
  const { page } = outcome;
  return page.kind === "html" && page.status < 400 && !page.isEmpty ? page : undefined;
}

/** A list whose URLs came to nothing. */
function nothingFound(ledger: Ledger, startingUrl: string): Failure {
  return {
    code: "empty",
    detail:
      `${startingUrl} led to no page that could be checked: ` +
      `${ledger.pageCount} failed, ${ledger.excluded.size} were left out.`,
  };
}
