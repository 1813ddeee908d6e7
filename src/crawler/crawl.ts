import { needsBrowser, needsCrawl, needsSource, performedKinds } from "../checks/kinds.ts";
import { encodeReferences } from "../database/crawl/page-references.ts";
import { encodeSource } from "../database/crawl/page-sources.ts";
import { leftOutTexts } from "../domain/coverage/left-out.ts";
import { type ExclusionReason, type Failure, PageError } from "../domain/failure.ts";
import { number } from "../domain/plural.ts";
import { forPage } from "../domain/site/page-state.ts";
import { readPage } from "../domain/site/references.ts";
import { isAllowedByRobots } from "../domain/site/robots.ts";
import { isTrap, judgeAnywhere, judgeNamed, judgeUrl, matchedExclusion, parseUrl } from "../domain/site/url-scope.ts";
import type { Redirect } from "../net/guarded-fetch.ts";
import type { ReportSpec } from "../schema/report.ts";
import type { Logger } from "../telemetry/log.ts";
import { startStopwatch } from "../time/stopwatch.ts";
import type { Backlog } from "./backlog.ts";
import type { BatchWriter } from "./batch-writer.ts";
import { documentIdOf } from "./content.ts";
import {
  discover,
  type Entry,
  endsAtSignIn,
  type Frontier,
  MAX_EXCLUDED,
  next,
  notice,
  noticeSpelling,
  pageUrl,
  planVisit,
} from "./frontier.ts";
import {
  ExcludedUrlError,
  type FetchOutcome,
  type FetchOutcomeOptions,
  type FetchResult,
  handleFetchOutcome,
  signInText,
  toFetchOutcome,
} from "./handle-fetch-outcome.ts";
import { discoverListed, type ListedUrls } from "./listed-urls.ts";
import type { PageFetcher } from "./page-fetcher.ts";
import type { OriginRobots } from "./robots-txt.ts";
import { createVisits, type Visits } from "./visits.ts";

export type CrawlOptions = {
  spec: ReportSpec;
  /** Includes what an earlier run stored. */
  frontier: Frontier;
  /** Why the starting URL failed in an earlier run. */
  startFailure: Failure | undefined;
  writer: BatchWriter;
  /** Makes the crawl wait for the checks. */
  backlog: Backlog;
  /** Fetches pages. */
  pages: PageFetcher;
  /** Fetches sitemaps and text lists, which a browser does not read. */
  lists: PageFetcher;
  /** Maximum number of parallel fetches. */
  concurrency: number;
  /** Waits for the rate limit. */
  awaitSlot: () => Promise<void>;
  /** Visited besides the report's URLs. */
  listed: ListedUrls;
  /** The rules of an origin's robots.txt. */
  robotsOf: (origin: string) => Promise<OriginRobots>;
  /** Whether the certificate of a site is verified. */
  isVerified: (site: URL) => boolean;
  signal: AbortSignal;
  log: Logger;
};

/**
 * Visits a site breadth first. Pages are fetched in parallel, but their outcomes are handled in the
 * order of the visits, so that the pages of a report do not depend on response times. The crawl
 * fetches no pages that `maxPages` would leave out.
 *
 * @returns `failed` when it found no page that can be checked
 */
export async function crawl(options: CrawlOptions): Promise<"ended" | "failed"> {
  const { frontier, spec, writer } = options;
  if (frontier.nextPosition === 0) {
    const start = pageUrl(frontier, spec.startingUrl);
    noticeSpelling(frontier, spec.startingUrl, start);
    planVisit(frontier, start, 0, null);
  } else await setSite(options, restoredSite(frontier, spec.startingUrl));

  const visits = createVisits();
  const statesFor = forPage(spec.states);
  const fetchOutcomeOptions: FetchOutcomeOptions = {
    preferCanonicalUrls: spec.preferCanonicalUrls,
    keepsRedirects: performedKinds(spec).some(needsCrawl),
    deepCrawl: spec.deepCrawl,
    ...(performedKinds(spec).some(needsBrowser) && { statesOf: (url) => statesFor(url).map(({ name }) => name) }),
    fetchCanonical: (url) => fetchCanonical(options, url, visits.outcomeOf(url)),
  };
  let { startFailure } = options;
  for (;;) {
    beginVisits(options, visits);
    const first = visits.first();
    if (!first) break;
    if (!first.finished) {
      await visits.anyFinished();
      options.signal.throwIfAborted();
      continue;
    }
    const outcome = await first.outcome;
    if (first.entry.position === 0) await handleStart(options, outcome);
    await handle(options, first.entry, outcome, fetchOutcomeOptions);
    visits.shift();
    startFailure = frontier.batch.startFailure ?? startFailure;
    await writer.changed();
    await options.backlog.awaitRoom(frontier.sources);
  }

  const failure = frontier.checkablePages > 0 ? undefined : (startFailure ?? noPageFailure(frontier, spec.startingUrl));
  const state = failure ? "failed" : "ended";
  await writer.end({ state, failure, maxExcluded: MAX_EXCLUDED });
  return state;
}

/** An error while an outcome is handled fails only its page, not the crawl. */
async function handle(
  { frontier, log, signal }: CrawlOptions,
  entry: Entry,
  outcome: FetchOutcome,
  options: FetchOutcomeOptions,
): Promise<void> {
  try {
    await handleFetchOutcome(frontier, entry, outcome, options);
  } catch (error) {
    signal.throwIfAborted();
    const failed = toFetchOutcome(error, entry.url, log);
    await handleFetchOutcome(frontier, entry, failed, options);
  }
}

/** Starts visits up to the limits. Any visit may become a page, so pages plus visits stay within `maxPages`. */
function beginVisits(options: CrawlOptions, visits: Visits): void {
  const { frontier, spec, concurrency } = options;
  while (
    visits.hasRoom(concurrency) &&
    (spec.maxPages === 0 || frontier.pageCount + visits.size < spec.maxPages) &&
    // The starting URL is visited alone: its response decides which site to crawl.
    visits.first()?.entry.position !== 0
  ) {
    const entry = next(frontier);
    if (!entry) return;
    visits.begin(entry, fetchEntry(options, entry));
  }
}

/** The starting URL's response decides which site to crawl. The initial URLs are queued after it. */
async function handleStart(options: CrawlOptions, outcome: FetchOutcome): Promise<void> {
  const { frontier, spec } = options;
  const start = new URL(spec.startingUrl);
  const asksToSignIn = "page" in outcome && endsAtSignIn(frontier, pageUrl(frontier, start.href), outcome.page);
  const reached = "page" in outcome && !asksToSignIn ? new URL(outcome.page.url) : start;
  if (asksToSignIn) notice(frontier, "start_signs_in", start.href, signInText(start.href, outcome.page));
  else if ("page" in outcome && outcome.page.signIn) {
    frontier.startForms = outcome.page.signIn.actions;
    frontier.batch.startForms = frontier.startForms;
  }
  if (hostName(reached) !== hostName(start))
    notice(frontier, "start_redirected", start.href, `Leads to ${reached.href}.`);
  if (!options.isVerified(reached)) notice(frontier, "certificate_not_verified", reached.href);
  const robots = await setSite(options, reached);
  for (const url of spec.initialUrls) discover(frontier, url, 0, null);
  discoverListed(frontier, options.listed);
  if (robots) offerSitemaps(options, reached, robots);
}

/** `www.` makes another host, but no other site. */
function hostName({ host }: URL): string {
  return host.replace(/^www\./, "");
}

function offerSitemaps(options: CrawlOptions, site: URL, { sitemaps, namedSitemaps }: OriginRobots): void {
  for (const written of sitemaps) offerSitemap(options, site, written);
  const unread = namedSitemaps - sitemaps.length;
  if (unread === 0 || !options.spec.useSitemaps) return;
  const detail = `It names ${number(namedSitemaps)} sitemaps, and the first ${number(sitemaps.length)} were read.`;
  notice(options.frontier, "sitemaps_left_out", new URL("/robots.txt", site).href, detail, unread);
}

/** A sitemap that robots.txt names. It may be on any host; what it lists is not. */
function offerSitemap({ frontier, spec }: CrawlOptions, site: URL, written: string): void {
  const verdict = judgeAnywhere(parseUrl(written, site.href)?.href ?? written, frontier.scope);
  if (verdict.kind === "ignore") notice(frontier, "sitemap_failed", written, "It is not a URL of http or https.");
  else if (!spec.useSitemaps) notice(frontier, "sitemaps_not_used", verdict.url);
  else if (verdict.kind === "visit") planVisit(frontier, verdict.url, -1, null);
  else notice(frontier, "sitemap_failed", verdict.url, `It was not requested: ${leftOutTexts[verdict.reason].clause}.`);
}

async function setSite({ frontier, spec, robotsOf }: CrawlOptions, site: URL): Promise<OriginRobots | undefined> {
  frontier.scope = { ...frontier.scope, host: site.host };
  if (!spec.respectRobots && !spec.useSitemaps) return undefined;
  const robots = await robotsOf(site.origin);
  if (robots.failure) notice(frontier, "robots_unread", `${site.origin}/robots.txt`, robots.failure.detail);
  if (!spec.respectRobots) return robots;
  frontier.allowed = (url) => isAllowedByRobots(robots, url);
  frontier.allowedCost = robots.cost;
  return robots;
}

/** The site that an earlier run was redirected to. Every URL that it visited after the start is on that host. */
function restoredSite(frontier: Frontier, startingUrl: string): URL {
  const start = pageUrl(frontier, startingUrl);
  for (const { url, state, position, depth } of frontier.known.values())
    if (depth >= 0 && url !== start && (position > 0 || state === "page" || state === "failed")) return new URL(url);
  return new URL(start);
}

async function fetchEntry(options: CrawlOptions, entry: Entry): Promise<FetchOutcome> {
  const isStart = entry.position === 0;
  const redirects: Redirect[] = [];
  const stopwatch = startStopwatch();
  try {
    if (isStart || isNamedSitemap(entry))
      await checkAnywhere(options, entry.url, isStart ? options.spec.startingUrl : entry.url);
    const wanted = {
      signal: options.signal,
      beforeRequest: stopwatch.without(createRequestGuard(options, entry)),
      onRedirect: (hop: Redirect) => redirects.push(hop),
    };
    // Only starting and initial URLs, and sitemaps in a sitemap index, may be lists.
    const lists = entry.depth < 0 || (entry.depth === 0 && entry.linkedFrom === null);
    const page = await (entry.depth < 0 ? options.lists : options.pages).fetch(entry.url, { ...wanted, lists });
    const mayBeList = lists && page.kind === "other" && page.status < 400 && options.lists !== options.pages;
    const { document, utf8, rendered, ...response } = mayBeList
      ? await options.lists.fetch(entry.url, { ...wanted, lists })
      : page;
    const fetchMs = stopwatch.ms();
    const kinds = performedKinds(options.spec);
    const isChecked = kinds.some(needsSource);
    const kept = isChecked && document?.source ? await encodeSource(document, utf8) : undefined;
    // A page that scripts render may have other links and content for each query, with the same text as received.
    const isRendered = options.spec.dynamicCrawler || kinds.some(needsBrowser);
    const query = isRendered ? new URL(pageUrl(options.frontier, page.url)).search : "";
    const documentId = document && page.contentLocation && documentIdOf(page.contentLocation, document.source, query);
    const references =
      document && kinds.some(needsCrawl) && (await encodeReferences(readPage(page.url, document, rendered)));
    const facts = { ...(documentId && { documentId }), ...(references && { references }) };
    const result = { ...response, source: kept, isEmpty: !document?.source, fetchMs, ...facts };
    return { page: result, redirects };
  } catch (error) {
    options.signal.throwIfAborted();
    return { ...toFetchOutcome(error, entry.url, options.log), redirects, fetchMs: stopwatch.ms() };
  }
}

/** A sitemap that robots.txt names, not one in the index of another. */
function isNamedSitemap({ depth, linkedFrom }: Entry): boolean {
  return depth < 0 && linkedFrom === null;
}

/**
 * The starting URL and the sitemaps that robots.txt names may be on any host, but the report's exclusions, that host's
 * robots.txt and the trap limits apply to them.
 */
async function checkAnywhere({ spec, frontier, robotsOf }: CrawlOptions, url: string, found: string): Promise<void> {
  if ([url, found].some((one) => matchedExclusion(one, frontier.scope) !== undefined))
    throw new ExcludedUrlError("exclusion", url);
  if (isTrap(new URL(url))) throw new ExcludedUrlError("trap", url);
  if (!spec.respectRobots) return;
  const robots = await robotsOf(new URL(url).origin);
  if (robots.failure)
    throw new PageError(
      robots.failure.code,
      `${url} was not requested, because its site's robots.txt could not be read: ${robots.failure.detail}`,
    );
  if (!isAllowedByRobots(robots, url)) throw new ExcludedUrlError("robots", url);
}

/** Runs before each request: rejects a redirect to an excluded URL, and waits for the rate limit. */
function createRequestGuard(options: CrawlOptions, entry: Entry): (url: string) => Promise<void> {
  return async (requested) => {
    const url = pageUrl(options.frontier, requested);
    const reason = url === entry.url ? undefined : redirectExclusion(options.frontier, requested, entry);
    if (reason === "duplicate_redirect") requireNoSignIn(options.frontier, entry.url, url);
    if (reason) throw new ExcludedUrlError(reason, url);
    await options.awaitSlot();
  };
}

/** Why a redirect of an entry is not followed; undefined when it is. */
function redirectExclusion(frontier: Frontier, requested: string, entry: Entry): ExclusionReason | undefined {
  // The start and named sitemaps may lead to any host, whose robots.txt is not known.
  const anywhere = entry.position === 0 || isNamedSitemap(entry);
  const judge = anywhere ? judgeAnywhere : entry.depth > 0 ? judgeUrl : judgeNamed;
  const verdict = judge(requested, frontier.scope);
  if (verdict.kind === "skip") return verdict.reason;
  const url = pageUrl(frontier, requested);
  if (new URL(url).host === frontier.scope.host && !frontier.allowed(url)) return "robots";
  // A stored page need not be requested again.
  return frontier.known.get(url)?.state === "page" ? "duplicate_redirect" : undefined;
}

/** A page that is a sign-in is not requested again to know that another one leads to it. @throws PageError */
function requireNoSignIn(frontier: Frontier, asked: string, url: string): void {
  const signIn = frontier.signIns.get(url) ?? { weight: 0, actions: [], isEmpty: false };
  const page = { url, status: 200, signIn };
  if (endsAtSignIn(frontier, asked, page)) throw new PageError("login_required", signInText(asked, page));
}

async function fetchCanonical(
  options: CrawlOptions,
  url: string,
  pendingOutcome: Promise<FetchOutcome> | undefined,
): Promise<FetchResult | "leads_to_page" | undefined> {
  const outcome = await (pendingOutcome ??
    fetchEntry(options, { url, position: -1, depth: 1, linkedFrom: null, state: "running" }));
  if ("excluded" in outcome && outcome.excluded === "duplicate_redirect") return "leads_to_page";
  if (!("page" in outcome)) return undefined;
  const { page } = outcome;
  const isPage = page.kind === "html" && page.status < 400 && !page.isEmpty;
  return isPage && !endsAtSignIn(options.frontier, url, page) ? page : undefined;
}

/** The failure of a crawl that found no page to check, although the starting URL did not fail. */
function noPageFailure(frontier: Frontier, startingUrl: string): Failure {
  return {
    code: "empty",
    detail:
      `The crawl of ${startingUrl} found no page to check: ` +
      `${frontier.pageCount} failed, ${frontier.excluded.size} were excluded.`,
  };
}
