import { needsBrowser, needsCrawl, needsSource, performedKinds } from "../checks/kinds.ts";
import { encodeReferences } from "../database/crawl/page-references.ts";
import { encodeSource } from "../database/crawl/page-sources.ts";
import { writingSign } from "../domain/acts/can-write.ts";
import { countChanges, hasLostEntry, type ShownChange } from "../domain/acts/changed.ts";
import { variantsOfPages } from "../domain/addresses/page-variant.ts";
import { bare } from "../domain/addresses/same-site.ts";
import { leftOutTexts } from "../domain/coverage/left-out.ts";
import { type ExclusionReason, type Failure, PageError } from "../domain/failure.ts";
import { pageTitle } from "../domain/page/page-title.ts";
import { readPage } from "../domain/page/references.ts";
import { templateOf } from "../domain/page/template.ts";
import { number } from "../domain/plural.ts";
import { createPace } from "../domain/scope/pace.ts";
import { isAllowedByRobots } from "../domain/scope/robots.ts";
import { isTrap, judgeAnywhere, judgeNamed, judgeUrl, matchedExclusion, parseUrl } from "../domain/scope/url-scope.ts";
import { isShell } from "../domain/sign-in/page-signs.ts";
import { hasSignIn } from "../domain/sign-in/sign-in-page.ts";
import type { Redirect } from "../net/guarded-fetch.ts";
import { isActing } from "../schema/a11y-depths.ts";
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
import type { FetchedPage, FetchOptions, PageFetcher } from "./page-fetcher.ts";
import type { OriginRobots } from "./robots-txt.ts";
import { createVisits, type Visits } from "./visits.ts";

export type CrawlOptions = {
  spec: ReportSpec;
  /** Includes what an earlier run stored. */
  frontier: Frontier;
  /** Why the starting URL failed in an earlier run. */
  startFailure: Failure | undefined;
  /** Where it led in an earlier run. */
  siteOrigin: string | null;
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
  /** The keys of the further devices on which each page is checked. */
  devices: readonly string[];
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
  const start = pageUrl(frontier, spec.startingUrl);
  if (frontier.nextPosition === 0) {
    noticeSpelling(frontier, spec.startingUrl, start);
    planVisit(frontier, start, 0, null);
  } else await setSite(options, new URL(options.siteOrigin ?? start));

  // What a browser takes for a page says little of its server.
  const visits = createVisits(spec.dynamicCrawler ? undefined : createPace());
  const fetchOutcomeOptions: FetchOutcomeOptions = {
    preferCanonicalUrls: spec.preferCanonicalUrls,
    keepsRedirects: performedKinds(spec).some(needsCrawl) || isActing(spec.a11yDepth),
    deepCrawl: spec.deepCrawl,
    ...(performedKinds(spec).some(needsBrowser) && { variantsOf: variantsOfPages(spec.states, options.devices) }),
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
    if ("page" in outcome && first.entry.depth >= 0) noticeUnverified(options, new URL(outcome.page.url));
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
  if (bare(reached.host) !== bare(start.host))
    notice(frontier, "start_redirected", start.href, `Leads to ${reached.href}.`);
  for (const url of [reached, start]) noticeUnverified(options, url);
  const robots = await setSite(options, reached);
  frontier.batch.siteOrigin = reached.origin;
  if (spec.visitActions) notice(frontier, "actions_visited", start.href);
  for (const url of spec.initialUrls) discover(frontier, url, 0, null);
  discoverListed(frontier, options.listed);
  if (robots) offerSitemaps(options, reached, robots);
}

/** Says once for each host that its certificate is not verified, with the first of its addresses. */
function noticeUnverified({ frontier, isVerified }: CrawlOptions, url: URL): void {
  if (isVerified(url)) return;
  const said = [...(frontier.noticed.get("certificate_not_verified") ?? [])];
  if (!said.some((one) => URL.parse(one)?.host === url.host)) notice(frontier, "certificate_not_verified", url.href);
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
  // The rules of the site's other hosts are asked for when one of their pages is visited.
  frontier.allowed = (url) => new URL(url).host !== site.host || isAllowedByRobots(robots, url);
  frontier.allowedCost = robots.cost;
  return robots;
}

async function fetchEntry(options: CrawlOptions, entry: Entry): Promise<FetchOutcome> {
  const isStart = entry.position === 0;
  const redirects: Redirect[] = [];
  const stopwatch = startStopwatch();
  try {
    const isAnywhere = isStart || isNamedSitemap(entry);
    if (isAnywhere) checkAnywhere(options, entry.url, isStart ? options.spec.startingUrl : entry.url);
    if (isAnywhere || isElsewhere(options, entry.url)) await requireAllowed(options, entry.url);
    const wanted = {
      signal: options.signal,
      beforeRequest: stopwatch.without(createRequestGuard(options, entry)),
      onRedirect: (hop: Redirect) => redirects.push(hop),
      onRestart: () => void redirects.splice(0),
    };
    // Only starting and initial URLs, and sitemaps in a sitemap index, may be lists.
    const lists = entry.depth < 0 || (entry.depth === 0 && entry.linkedFrom === null);
    const page = await (entry.depth < 0 ? options.lists : options.pages).fetch(entry.url, { ...wanted, lists });
    const mayBeList = lists && page.kind === "other" && page.status < 400 && options.lists !== options.pages;
    const received = mayBeList ? await options.lists.fetch(entry.url, { ...wanted, lists }) : page;
    await learnTokens(options, entry, received, wanted);
    const change = await shownChange(options, entry, received, wanted);
    const result = await resultOf(options, received, stopwatch.ms());
    return { page: { ...result, ...(change && { change }) }, redirects };
  } catch (error) {
    options.signal.throwIfAborted();
    return { ...toFetchOutcome(error, entry.url, options.log), redirects, fetchMs: stopwatch.ms() };
  }
}

/** Reads a page of a session again if its links may have one-time tokens, which differ then. What cannot be read says nothing. */
async function learnTokens(
  { frontier, pages, signal }: CrawlOptions,
  { url: asked }: Entry,
  { url, links, kind }: FetchedPage,
  wanted: FetchOptions,
): Promise<void> {
  const { acts } = frontier.scope;
  const suspects = kind === "html" && acts?.signedIn(url) ? acts.takeSuspects(links) : [];
  if (suspects.length === 0) return;
  const again = await pages.fetch(asked, { ...wanted, onRedirect: () => {} }).catch(() => undefined);
  signal.throwIfAborted();
  if (again) acts?.learnTokens(suspects, again.links);
}

/** Lists of a session that are remembered, to see what is gone from one after a visit. */
const MAX_LISTS = 200;

/**
 * What a page of a session that a redirect led to shows of a change: an entry less than before, or a message, of which it has
 * less when it is read again.
 */
async function shownChange(
  { frontier, pages, signal }: CrawlOptions,
  { url: asked }: Entry,
  { url, redirects, signIn, links, document, rendered }: FetchedPage,
  wanted: FetchOptions,
): Promise<ShownChange | undefined> {
  const { scope, lists } = frontier;
  const { acts } = scope;
  if (!acts?.guardsPages || !acts.signedIn(url) || (signIn && hasSignIn(signIn))) return undefined;
  const before = lists.get(url);
  lists.delete(url);
  lists.set(url, links);
  for (const [oldest] of lists) if (lists.size > MAX_LISTS) lists.delete(oldest);
  if (redirects.length === 0) return undefined;
  if (before && hasLostEntry(asked, before, links)) return "an entry less";
  // An editor has a button to undo.
  const found = acts.signOf(url)?.kind !== "form" ? countChanges(rendered || document?.source || "") : 0;
  if (found === 0) return undefined;
  const again = await pages.fetch(url, { ...wanted, onRedirect: () => {} }).catch(() => undefined);
  signal.throwIfAborted();
  const isOnce = again === undefined || countChanges(again.rendered || again.document?.source || "") < found;
  return isOnce ? "a message" : undefined;
}

/** What the crawl keeps of a page. */
async function resultOf(
  { spec, frontier }: CrawlOptions,
  { document, utf8, rendered, references: read, ...response }: FetchedPage,
  fetchMs: number,
): Promise<FetchResult> {
  const kinds = performedKinds(spec);
  const result = { ...response, isEmpty: !document?.source, fetchMs };
  if (!document) return { ...result, source: undefined };
  // A page that scripts render may have other links and content for each query, with the same text as received.
  const isRendered = spec.dynamicCrawler || kinds.some(needsBrowser);
  const { search, hash } = new URL(pageUrl(frontier, response.url));
  const query = isRendered ? `${search}${hash}` : "";
  const documentId = response.contentLocation && documentIdOf(response.contentLocation, document.source, query);
  const references =
    kinds.some(needsCrawl) && (await encodeReferences(read ?? readPage(response.url, document, rendered)));
  const writes = frontier.scope.acts?.signedIn(response.url) ? writingSign(rendered || document.source) : undefined;
  const template = spec.a11yDepth === "acting" && templateOfPage(response.url, document.source, rendered);
  return {
    ...result,
    source: kinds.some(needsSource) && document.source ? await encodeSource(document, utf8) : undefined,
    ...(documentId && { documentId }),
    ...(writes !== undefined && { writes }),
    ...(references && { references }),
    title: pageTitle(rendered || document.source),
    ...(template && { template }),
  };
}

/** Undefined for a page that only its scripts fill, if it was not rendered: all of these are equal. */
function templateOfPage(url: string, source: string, rendered: string | undefined): string | undefined {
  if (rendered) return templateOf(rendered);
  // The document says nothing of the views behind its `#`.
  return isShell(source) || url.includes("#") ? undefined : templateOf(source);
}

/** A sitemap that robots.txt names, not one in the index of another. */
function isNamedSitemap({ depth, linkedFrom }: Entry): boolean {
  return depth < 0 && linkedFrom === null;
}

/** The starting URL and the sitemaps that robots.txt names may be on any host, but the exclusions and the trap limits apply to them. */
function checkAnywhere({ frontier }: CrawlOptions, url: string, found: string): void {
  if ([url, found].some((one) => matchedExclusion(one, frontier.scope) !== undefined))
    throw new ExcludedUrlError("exclusion", url);
  if (isTrap(new URL(url))) throw new ExcludedUrlError("trap", url);
  const act = frontier.scope.acts?.leavesOut(url);
  if (act?.reason === "acts") throw new ExcludedUrlError("acts", url);
}

/** The robots.txt of a URL's own host applies to it. @throws ExcludedUrlError; PageError where it could not be read */
async function requireAllowed({ spec, robotsOf }: CrawlOptions, url: string): Promise<void> {
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
    // The start may lead to any host.
    if (url !== entry.url && entry.position !== 0 && isElsewhere(options, url)) await requireAllowed(options, url);
    await options.awaitSlot();
  };
}

/** Whether a URL is on another host than that of the site's robots.txt. */
function isElsewhere({ frontier }: CrawlOptions, url: string): boolean {
  return new URL(url).host !== frontier.scope.host;
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
  // A stored page need not be requested again, unless it may tell what the visit has changed.
  const mayTell = entry.position >= 0 && frontier.scope.acts?.guardsPages && frontier.scope.acts.signedIn(url);
  return frontier.known.get(url)?.state === "page" && !mayTell ? "duplicate_redirect" : undefined;
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
