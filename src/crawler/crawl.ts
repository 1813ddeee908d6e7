import { encodeSource } from "../database/crawl/page-sources.ts";
import type { ExclusionReason, Failure } from "../domain/failure.ts";
import { isAllowedByRobots, type Robots } from "../domain/robots.ts";
import { isTrap, judgeUrl, matchedExclusion, normaliseUrl } from "../domain/url-scope.ts";
import type { ReportSpec } from "../schema/report.ts";
import {
  applyOutcome,
  type FetchResult,
  type Outcome,
  type OutcomeOptions,
  Refused,
  toOutcome,
} from "./apply-outcome.ts";
import type { BatchWriter } from "./batch-writer.ts";
import { discover, type Entry, type Frontier, MAX_EXCLUDED, next, plan } from "./frontier.ts";
import type { PageFetcher } from "./page-fetcher.ts";
import { createVisits, type Visits } from "./visits.ts";

export type CrawlOptions = {
  spec: ReportSpec;
  /** Restored from what an earlier run stored. */
  frontier: Frontier;
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
  const { frontier, spec, writer } = options;
  if (frontier.nextPosition === 0) plan(frontier, normaliseUrl(spec.startingUrl), 0, null);
  else await moveTo(options, siteOf(frontier, spec.startingUrl));

  const visits = createVisits();
  const outcomeOptions: OutcomeOptions = {
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
    await applyOutcome(frontier, first.entry, outcome, outcomeOptions);
    visits.shift();
    startFailure = frontier.batch.startFailure ?? startFailure;
    await writer.changed();
  }

  const failure = frontier.goodPages > 0 ? undefined : (startFailure ?? nothingFound(frontier, spec.startingUrl));
  const state = failure ? "failed" : "ended";
  await writer.end({ state, failure, maxExcluded: MAX_EXCLUDED });
  return state;
}

/** As many visits as may be under way: each one could be a page, and there may be `maxPages` in all. */
function beginVisits(options: CrawlOptions, visits: Visits): void {
  const { frontier, spec, concurrency } = options;
  while (
    visits.hasRoom(concurrency) &&
    (spec.maxPages === 0 || frontier.pageCount + visits.size < spec.maxPages) &&
    // Before the start has answered nothing else is known of the site.
    visits.first()?.entry.position !== 0
  ) {
    const entry = next(frontier);
    if (!entry) return;
    visits.begin(entry, fetchEntry(options, entry));
  }
}

/** The starting URL decides which site is meant; the initial URLs come right after it. */
async function arrive(options: CrawlOptions, outcome: Outcome): Promise<void> {
  const { frontier, spec } = options;
  await moveTo(options, new URL("page" in outcome ? outcome.page.url : spec.startingUrl));
  for (const url of spec.initialUrls) discover(frontier, url, 0, null);
}

async function moveTo({ frontier, spec, robotsOf }: CrawlOptions, site: URL): Promise<void> {
  frontier.scope = { ...frontier.scope, host: site.host };
  if (!spec.respectRobots) return;
  const robots = await robotsOf(site.origin);
  frontier.allowed = (url) => isAllowedByRobots(robots, url);
}

/** Where an earlier run had moved to: everything that was found there is of that host. */
function siteOf(frontier: Frontier, startingUrl: string): URL {
  const start = normaliseUrl(startingUrl);
  for (const { url, state, position } of frontier.known.values())
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
async function checkStart({ spec, frontier, robotsOf }: CrawlOptions, url: string): Promise<void> {
  if (matchedExclusion(url, frontier.scope) !== undefined) throw new Refused("exclusion", url);
  if (isTrap(new URL(url))) throw new Refused("trap", url);
  if (spec.respectRobots && !isAllowedByRobots(await robotsOf(new URL(url).origin), url))
    throw new Refused("robots", url);
}

/** Before each request: whether a redirect leads where the Spider may go, and the rate limit. */
function guard(options: CrawlOptions, first: string, isStart: boolean): (url: string) => Promise<void> {
  return async (requested) => {
    const url = normaliseUrl(requested);
    const reason = url === first ? undefined : refusal(options.frontier, url, isStart);
    if (reason) throw new Refused(reason, url);
    await options.awaitSlot();
  };
}

/** Why a redirect is not followed. The starting URL may move to any host. */
function refusal(frontier: Frontier, url: string, isStart: boolean): ExclusionReason | undefined {
  if (isStart) return matchedExclusion(url, frontier.scope) === undefined ? undefined : "exclusion";
  const verdict = judgeUrl(url, frontier.scope);
  if (verdict.kind === "skip") return verdict.reason;
  if (!frontier.allowed(url)) return "robots";
  // No need to ask for what is stored.
  return frontier.known.get(url)?.state === "page" ? "duplicate_redirect" : undefined;
}

async function fetchCanonical(
  options: CrawlOptions,
  url: string,
  begun: Promise<Outcome> | undefined,
): Promise<FetchResult | undefined> {
  const outcome = await (begun ??
    fetchEntry(options, { url, position: -1, depth: 1, linkedFrom: null, state: "running" }));
  if (!("page" in outcome)) return undefined;
  const { page } = outcome;
  return page.kind === "html" && page.status < 400 && !page.isEmpty ? page : undefined;
}

/** A list whose URLs came to nothing. */
function nothingFound(frontier: Frontier, startingUrl: string): Failure {
  return {
    code: "empty",
    detail:
      `${startingUrl} led to no page that could be checked: ` +
      `${frontier.pageCount} failed, ${frontier.excluded.size} were left out.`,
  };
}
