import { type CrawlBatch, type CrawlProgress, emptyBatch, type NewPage } from "../database/crawl/crawl.ts";
import type { SeenBatch } from "../database/crawl/inbound-links.ts";
import { sizeOfReferences } from "../database/crawl/page-references.ts";
import { familyOf } from "../domain/acts/acts.ts";
import { shownText } from "../domain/addresses/shown-address.ts";
import { viewOf } from "../domain/addresses/views.ts";
import { leftOutTexts } from "../domain/coverage/left-out.ts";
import {
  MAX_DETAIL,
  MAX_NOTICES_PER_CODE,
  type Notice,
  type NoticeCode,
  type StoredCode,
} from "../domain/coverage/notices.ts";
import type { ExclusionReason, Failure } from "../domain/failure.ts";
import { templateOfVariant } from "../domain/page/template.ts";
import { globCost } from "../domain/scope/glob.ts";
import { searchCost } from "../domain/scope/search-cost.ts";
import {
  judgeNamed,
  judgeUrl,
  pageUrlIn,
  recordable,
  recordableText,
  type Scope,
  searchedParts,
} from "../domain/scope/url-scope.ts";
import { isSignIn, type SignInPage } from "../domain/sign-in/sign-in-page.ts";
import {
  createInbound,
  forgetLinks,
  type Inbound,
  keepLinks,
  restoreInbound,
  seeLink,
  seeRedirect,
  takeInbound,
} from "./inbound.ts";

/**
 * The crawl's memory: every known URL, its state, and the changes that are not yet stored.
 * No I/O; the same calls in the same order give the same pages.
 */

/** Maximum number of excluded URLs recorded per report. The last one gets the reason `list_limit`. */
export const MAX_EXCLUDED = 10_000;
/**
 * These limit the known URLs, however many a site generates. They are enough to reach `maxPages` even when most URLs
 * are not pages.
 */
const SPARE_URLS = 10_000;
const URLS_PER_PAGE = 4;
const MAX_KNOWN = 500_000;
/** These limit the visits: a URL may turn out not to be a page, but a redirect, a PDF or a picture. */
const SPARE_VISITS = 500;
const VISITS_PER_PAGE = 5;
/**
 * These limit the sitemaps that are read from sitemap indexes for one report: one per page that the report may have,
 * because some sites list few URLs in each sitemap, and some spare ones, because some sitemaps are empty.
 */
const SPARE_SITEMAPS = 50;
const MAX_SITEMAPS = 1_000;
/** How many addresses of a family are visited: of forms, and of those that may act. */
const MAX_OF_FAMILY = { form: 3, maybe: 1 } as const;

/** How many views are visited before it is looked whether they have led to documents. */
const MAX_VIEWS_AT_ONCE = 10;

export type Entry = {
  url: string;
  /** The order of discovery, which is the order of visits; -1 for a URL that was never queued (redirect targets). */
  position: number;
  /** Distance in links from the starting and initial URLs, which have 0; negative for sitemaps that a sitemap lists. */
  depth: number;
  linkedFrom: string | null;
  /** `page` and `failed` are web pages. */
  state: "waiting" | "running" | "page" | "failed" | "not_a_page";
};

export type Frontier = {
  scope: Scope;
  /** Whether robots.txt allows a URL in scope. */
  allowed: (url: string) => boolean;
  /** The cost of one call of `allowed`, in the unit of search-cost.ts. */
  allowedCost: number;
  maxPages: number;
  known: Map<string, Entry>;
  excluded: Set<string>;
  /** The URLs of pages by their `documentId`. Those of earlier runs are not known. */
  documents: Map<string, string>;
  /** Forms that sign in and are on the whole site: the actions of those on the start page. */
  startForms: readonly string[];
  /** Pages that may be sign-ins. Those of earlier runs are not known. */
  signIns: Map<string, SignInPage>;
  /** What links say of themselves that they lead to a sign-in. Those of earlier runs are not known. */
  namedSignIns: Set<string>;
  /** The addresses with a notice, by code. */
  noticed: Map<NoticeCode, Set<string>>;
  inbound: Inbound;
  /** The waiting entries, in order, start at index `head`. */
  queue: (Entry | undefined)[];
  head: number;
  /** Waiting entries that show documents in another way (views.ts), of kinds of which some have been visited. */
  views: Entry[];
  /** Waiting entries that are visited when all others are done, one at a time: forms, and what may act. */
  last: Entry[];
  /** How many of each family (acts.ts) are among them, or were. */
  families: Map<string, number>;
  /** Families of which nothing more is visited, because a visit may have changed something. */
  ended: Set<string>;
  /** The links of pages of a session when they were read last, the latest ones. */
  lists: Map<string, readonly string[]>;
  nextPosition: number;
  /** Planned entries that are being visited (`runningCount`), and those already visited or excluded (`doneCount`). */
  runningCount: number;
  doneCount: number;
  /** Planned sitemaps that are listed in a sitemap index. */
  sitemapCount: number;
  /** Web pages, failed ones included. */
  pageCount: number;
  /** Web pages without failed ones. */
  checkablePages: number;
  changed: Set<Entry>;
  /** The next batch to store, without `changed`. */
  batch: CrawlBatch;
  /** Size of the sources in `batch`. */
  pendingBytes: number;
  /** Number and size of the sources of all pages added in this run. */
  sources: { pages: number; bytes: number };
};

export function createFrontier(scope: Scope, maxPages: number): Frontier {
  return {
    scope,
    maxPages,
    allowed: () => true,
    allowedCost: 0,
    known: new Map(),
    excluded: new Set(),
    documents: new Map(),
    startForms: [],
    signIns: new Map(),
    namedSignIns: new Set(),
    noticed: new Map(),
    inbound: createInbound(),
    queue: [],
    head: 0,
    views: [],
    last: [],
    families: new Map(),
    ended: new Set(),
    lists: new Map(),
    nextPosition: 0,
    runningCount: 0,
    doneCount: 0,
    sitemapCount: 0,
    pageCount: 0,
    checkablePages: 0,
    changed: new Set(),
    batch: emptyBatch(),
    pendingBytes: 0,
    sources: { pages: 0, bytes: 0 },
  };
}

/**
 * Restores the state that an earlier run stored.
 *
 * @returns what counts the links of the next entry of its journal; to be called with each, in their order
 */
export function restore(frontier: Frontier, progress: CrawlProgress): (entry: SeenBatch) => void {
  for (const { code, url } of progress.notices) {
    noticedUrls(frontier, code).add(url);
    if (code === "acts_ended") frontier.ended.add(familyOf(url));
  }
  for (const { url, position, depth, linkedFrom, done } of progress.frontier) {
    const entry: Entry = { url, position, depth, linkedFrom, state: done ? "not_a_page" : "waiting" };
    hasRoomInFamily(frontier, url, depth, linkedFrom);
    frontier.known.set(url, entry);
    if (depth < 0) frontier.sitemapCount++;
    if (done) {
      frontier.doneCount++;
      isFurtherView(frontier, entry);
    } else enqueue(frontier, entry);
    frontier.nextPosition = position + 1;
  }
  for (const { url, ok } of progress.pages) {
    const entry = frontier.known.get(url) ?? addNotPlanned(frontier, url, null);
    entry.state = ok ? "page" : "failed";
    frontier.pageCount++;
    if (ok) frontier.checkablePages++;
  }
  for (const url of progress.excluded) frontier.excluded.add(url);
  return restoreInbound(frontier.inbound, progress, notPages(frontier));
}

function* notPages({ known, excluded }: Frontier): Generator<string> {
  for (const { url, state } of known.values()) if (state !== "page") yield url;
  for (const url of excluded) if (!known.has(url)) yield url;
}

function maxKnown({ maxPages }: Frontier): number {
  return maxPages === 0 ? MAX_KNOWN : Math.min(MAX_KNOWN, SPARE_URLS + URLS_PER_PAGE * maxPages);
}

function maxVisits({ maxPages }: Frontier): number {
  return maxPages === 0 ? MAX_KNOWN : SPARE_VISITS + VISITS_PER_PAGE * maxPages;
}

function maxSitemaps({ maxPages }: Frontier): number {
  return maxPages === 0 ? MAX_SITEMAPS : Math.min(MAX_SITEMAPS, SPARE_SITEMAPS + maxPages);
}

/** The form of a URL that stands for all URLs of its document. */
export function pageUrl({ scope }: Frontier, url: string): string {
  return pageUrlIn(url, scope);
}

/** Queues a URL for a visit, unless it is known. Excludes it if a limit is reached. */
export function planVisit(frontier: Frontier, url: string, depth: number, linkedFrom: string | null): void {
  if (frontier.known.has(url) || frontier.excluded.has(url)) return;
  if (frontier.known.size >= maxKnown(frontier)) {
    exclude(frontier, url, linkedFrom, "page_limit");
    return;
  }
  if (depth < 0 && ++frontier.sitemapCount > maxSitemaps(frontier)) {
    exclude(frontier, url, linkedFrom, "sitemap_limit");
    return;
  }
  if (!hasRoomInFamily(frontier, url, depth, linkedFrom)) return;
  const entry: Entry = { url, position: frontier.nextPosition++, depth, linkedFrom, state: "waiting" };
  frontier.known.set(url, entry);
  enqueue(frontier, entry);
  frontier.changed.add(entry);
}

/** Adds a waiting entry to those that are visited in order, or last. What the user named is visited in order. */
function enqueue(frontier: Frontier, entry: Entry): void {
  const isLast = !isNamed(entry) && frontier.scope.acts?.signOf(entry.url) !== undefined;
  if (isLast) frontier.last.push(entry);
  else (isFurtherView(frontier, entry) ? frontier.views : frontier.queue).push(entry);
}

/** Counts a view of a document, and says once for each kind that those after the first ones are visited last. */
function isFurtherView(frontier: Frontier, entry: Entry): boolean {
  const view = isNamed(entry) ? undefined : viewOf(entry.url, entry.linkedFrom);
  if (!view) return false;
  // Kinds of forms and of views are counted apart.
  const kind = `view ${view.family}`;
  const planned = (frontier.families.get(kind) ?? 0) + 1;
  frontier.families.set(kind, planned);
  if (planned === view.most + 1) notice(frontier, "views_last", entry.url, `One of many of the form ${view.family}.`);
  return planned > view.most;
}

/** Whether the user, or a robots.txt or sitemap index, names it: no page leads there. */
function isNamed({ linkedFrom, depth }: Pick<Entry, "linkedFrom" | "depth">): boolean {
  return linkedFrom === null || depth < 0;
}

/** Counts a form, or what may act. Excludes one of a family of which enough are visited. */
function hasRoomInFamily(frontier: Frontier, url: string, depth: number, linkedFrom: string | null): boolean {
  const sign = isNamed({ depth, linkedFrom }) ? undefined : frontier.scope.acts?.signOf(url);
  if (!sign || sign.kind === "acts") return true;
  const family = familyOf(url);
  const planned = frontier.families.get(family) ?? 0;
  if (planned < MAX_OF_FAMILY[sign.kind]) {
    frontier.families.set(family, planned + 1);
    return true;
  }
  const isForm = sign.kind === "form";
  const detail = isForm ? `It is one of more than ${MAX_OF_FAMILY.form} of its kind` : "One of its form is visited";
  exclude(frontier, url, linkedFrom, isForm ? "forms" : "acts", `${detail}: ${sign.text}.`);
  return false;
}

/** Says once that the account that is signed in can change the site, and by which page that was seen. */
export function noticeWriter(frontier: Frontier, page: string, detail: string): void {
  if (!frontier.noticed.has("account_can_write")) notice(frontier, "account_can_write", page, detail);
}

/** Ends the visits to addresses of the form of one that may have changed something. */
export function endFamily(frontier: Frontier, url: string, detail: string): void {
  frontier.ended.add(familyOf(url));
  notice(frontier, "acts_ended", url, detail);
}

/** Handles a URL found on a page or in a list: plans it, excludes it with a reason, or ignores it. */
export function discover(frontier: Frontier, found: string, depth: number, linkedFrom: string | null): void {
  // Most links of a page are already known. This check saves parsing them.
  if (frontier.known.has(found) || frontier.excluded.has(found)) {
    countLink(frontier, found, linkedFrom);
    return;
  }
  // What the user named, and sitemaps, are not pages that globs could leave out.
  const verdict = (depth > 0 ? judgeUrl : judgeNamed)(found, frontier.scope);
  if (verdict.kind === "ignore") return;
  if (verdict.kind === "visit") noticeSpelling(frontier, found, verdict.url);
  const reason = verdict.kind === "skip" ? verdict.reason : frontier.allowed(verdict.url) ? undefined : "robots";
  if (reason === undefined) planVisit(frontier, verdict.url, depth, linkedFrom);
  else {
    exclude(frontier, verdict.url, linkedFrom, reason);
    // What is no URL is among the dropped entries of its index.
    const isDropped = reason === "invalid_url" && !URL.canParse(found);
    if (depth < 0 && !isDropped)
      notice(frontier, "sitemap_failed", verdict.url, `It was not requested: ${leftOutTexts[reason].clause}.`);
  }
  countLink(frontier, verdict.url, linkedFrom);
}

/** Counts a link, unless it leads to a page. */
function countLink(frontier: Frontier, url: string, linkedFrom: string | null): void {
  const state = frontier.known.get(url)?.state;
  if (linkedFrom === null || state === "page" || (state === undefined && !frontier.excluded.has(url))) return;
  seeLink(frontier.inbound, url, linkedFrom);
}

/** Links to an address that redirected are links to where it led, which failed. */
export function followRedirect(frontier: Frontier, from: string, to: string): void {
  seeRedirect(frontier.inbound, from, to);
}

/** Says that an address is known by another one, which names the same document. */
export function noticeSpelling(frontier: Frontier, found: string, visited: string): void {
  if (found === visited) return;
  // Fragments, dot segments and the like never made another document.
  const given = URL.parse(found);
  if (!given) return;
  given.hash = "";
  if (given.href !== visited) notice(frontier, "same_document", given.href, `Known as ${visited}.`);
}

/** The work that the links of one page or list may take: about two seconds. Its unit is one search in 64 characters. */
const MAX_LINK_WORK = 50_000_000;

/** Counts the work of checking a link. Returns false when there has been too much before it. */
export type LinkBudget = (link: string) => boolean;

/**
 * The limit of the work for one page or list. A hostile robots.txt or many exclusions make each URL slow to check. It is
 * counted, not timed, so that the same site always gives the same pages.
 */
export function createLinkBudget(frontier: Frontier, maxWork = MAX_LINK_WORK): LinkBudget {
  const { exclusions, ignoredParameters = [], includeGlobs = [], excludeGlobs = [] } = frontier.scope;
  const searches = searchCost(searchedParts(exclusions)) + globCost([...includeGlobs, ...excludeGlobs]);
  const cost = 1 + frontier.allowedCost + searches + ignoredParameters.length;
  let work = 0;
  return (link) => {
    work += cost * (1 + link.length / 64);
    return work <= maxWork;
  };
}

/** Handles the URLs found on a page or in a list, as far as the work for them is not too much. */
export function discoverAll(
  frontier: Frontier,
  links: readonly string[],
  depth: number,
  linkedFrom: string | null,
  fits: LinkBudget = createLinkBudget(frontier),
): void {
  for (const link of links) {
    if (!fits(link)) {
      excludeUnlessKnown(frontier, link, linkedFrom, "link_limit");
      return;
    }
    discover(frontier, link, depth, linkedFrom);
  }
}

/** Excludes a URL that a limit leaves out, unless it is known from elsewhere. */
export function excludeUnlessKnown(
  frontier: Frontier,
  url: string,
  linkedFrom: string | null,
  reason: ExclusionReason,
): void {
  if (!frontier.known.has(url)) exclude(frontier, url, linkedFrom, reason);
}

/** Excludes a URL. Only its first reason is recorded. @param detail for one that is left out for what it does */
export function exclude(
  frontier: Frontier,
  url: string,
  linkedFrom: string | null,
  reason: ExclusionReason,
  detail?: string,
): void {
  const entry = frontier.known.get(url);
  if (entry) close(frontier, entry, "not_a_page");
  if (reason === "acts" || reason === "forms") noticeAct(frontier, { url, linkedFrom, reason }, detail);
  if (reason === "link_limit" || reason === "sitemap_limit")
    notice(frontier, reason, linkedFrom ?? url, `The first that was not read is ${url}.`);
  const recorded = recordable(url);
  if (frontier.excluded.has(recorded) || frontier.excluded.size >= MAX_EXCLUDED) return;
  frontier.excluded.add(recorded);
  keepLinks(frontier.inbound, recorded);
  const isLast = frontier.excluded.size === MAX_EXCLUDED;
  frontier.batch.excluded.push({ url: recorded, linkedFrom, reason: isLast ? "list_limit" : reason });
}

/** Names an address that is left out for what it does, with its sign. Values of tokens are not shown. */
function noticeAct(
  frontier: Frontier,
  { url, linkedFrom, reason }: { url: string; linkedFrom: string | null; reason: "acts" | "forms" },
  detail?: string,
): void {
  const { acts } = frontier.scope;
  const text = acts?.leavesOut(url)?.text;
  if (reason === "acts" && acts?.signedIn(url) && linkedFrom !== null)
    noticeWriter(frontier, linkedFrom, `It leads to ${url}.`);
  const said = detail ?? (text === undefined ? "It leads to such an address." : `It has ${text}.`);
  notice(frontier, `${reason}_left_out`, url, said);
}

/**
 * Records something that the report has to say about an address: once for each code, and up to a limit, because sites
 * can have any number of addresses.
 */
export function notice(frontier: Frontier, code: StoredCode, found: string, detail = "", howMany = 1): void {
  const urls = noticedUrls(frontier, code);
  if (urls.size > MAX_NOTICES_PER_CODE) return;
  const url = recordableText(found);
  if (urls.has(url)) return;
  urls.add(url);
  const said = recordable(recordableText(shownText(detail)).slice(0, MAX_DETAIL));
  frontier.batch.notices.push({ code, url, howMany, detail: said } satisfies Notice);
}

function noticedUrls({ noticed }: Frontier, code: StoredCode): Set<string> {
  const urls = noticed.get(code) ?? new Set();
  noticed.set(code, urls);
  return urls;
}

/** Whether a visit ended at a sign-in instead of what was asked for. */
export function endsAtSignIn(
  { scope, startForms, namedSignIns }: Frontier,
  asked: string,
  { url, status, signIn }: { url: string; status: number; signIn?: SignInPage },
): boolean {
  return (
    signIn !== undefined &&
    !namedSignIns.has(asked) &&
    isSignIn({ asked, reached: url, status, page: signIn }, startForms, scope.inSession ?? false)
  );
}

/**
 * Adds a web page under its URL, whether that URL was planned or not.
 *
 * @param variants the URLs of its variants, which are pages, too: they are not visited by the crawl, and lead nowhere
 */
export function addPage(frontier: Frontier, page: NewPage, variants: readonly string[] = []): void {
  const entry = frontier.known.get(page.url) ?? addNotPlanned(frontier, page.url, page.linkedFrom);
  close(frontier, entry, page.failure ? "failed" : "page");
  if (page.failure) keepLinks(frontier.inbound, page.url);
  else forgetLinks(frontier.inbound, page.url);
  frontier.batch.pages.push(page.failure ? { ...page, failure: storable(page.failure) } : page);
  const { url: linkedFrom, httpStatus, showsSignIn, template, title } = page;
  for (const url of variants)
    frontier.batch.pages.push({
      ...{ url, linkedFrom, httpStatus, showsSignIn, title },
      template: template && templateOfVariant(template, url),
      ...{ source: undefined, failure: undefined },
    });
  if (page.references) frontier.pendingBytes += sizeOfReferences(page.references);
  if (page.source) {
    frontier.pendingBytes += page.source.body.length;
    frontier.sources.pages += 1;
    frontier.sources.bytes += page.source.body.length;
  }
  frontier.pageCount++;
  if (!page.failure) frontier.checkablePages++;
}

/** Records why the starting URL failed. */
export function recordStartFailure(frontier: Frontier, failure: Failure): void {
  frontier.batch.startFailure = storable(failure);
}

/** True when a URL is a page, failed, excluded or otherwise done. */
export function isDecided(frontier: Frontier, url: string): boolean {
  const state = frontier.known.get(url)?.state;
  return frontier.excluded.has(url) || (state !== undefined && state !== "waiting" && state !== "running");
}

/** Ends an entry: it will not be visited any more. */
export function close(frontier: Frontier, entry: Entry, state: "page" | "failed" | "not_a_page"): void {
  if (entry.state === "running") frontier.runningCount--;
  if (entry.state === "running" || entry.state === "waiting") frontier.doneCount++;
  entry.state = state;
  if (entry.position >= 0) frontier.changed.add(entry);
}

/** Takes the next URL to visit, which then counts as running; undefined when none is left or the limit is reached. */
export function next(frontier: Frontier): Entry | undefined {
  if (frontier.doneCount + frontier.runningCount >= maxVisits(frontier)) return undefined;
  while (frontier.head < frontier.queue.length) {
    const entry = frontier.queue[frontier.head];
    frontier.queue[frontier.head++] = undefined;
    if (entry?.state !== "waiting" || endsHere(frontier, entry)) continue;
    // The limit of known URLs is reached, so the URLs of this sitemap could not be planned.
    if (entry.depth < 0 && frontier.known.size >= maxKnown(frontier)) {
      exclude(frontier, entry.url, entry.linkedFrom, "sitemap_limit");
      continue;
    }
    return begin(frontier, entry);
  }
  frontier.queue = [];
  frontier.head = 0;
  // What is running may lead to more documents, or to more that only reads.
  if (frontier.runningCount === 0 && frontier.views.length > 0) {
    frontier.queue = frontier.views.splice(0, MAX_VIEWS_AT_ONCE);
    return next(frontier);
  }
  while (frontier.runningCount === 0) {
    const entry = frontier.last.shift();
    if (!entry) return undefined;
    if (entry.state !== "waiting" || endsHere(frontier, entry)) continue;
    const sign = frontier.scope.acts?.signOf(entry.url);
    if (sign?.kind === "form") notice(frontier, "forms_visited", entry.url, `It has ${sign.text}.`);
    return begin(frontier, entry);
  }
  return undefined;
}

function begin(frontier: Frontier, entry: Entry): Entry {
  entry.state = "running";
  frontier.runningCount++;
  return entry;
}

/** Excludes an entry of a family that has ended. @returns whether it is one */
function endsHere(frontier: Frontier, { url, linkedFrom }: Entry): boolean {
  if (frontier.ended.size === 0 || linkedFrom === null || !frontier.ended.has(familyOf(url))) return false;
  exclude(frontier, url, linkedFrom, "acts", "A visit to an address of its form may have changed something.");
  return true;
}

/** The changes since the last call, to be stored in one transaction. */
export function takeBatch(frontier: Frontier): CrawlBatch {
  const { batch } = frontier;
  for (const { url, position, depth, linkedFrom, state } of frontier.changed)
    batch.frontier.push({ url, position, depth, linkedFrom, done: state !== "waiting" && state !== "running" });
  Object.assign(
    batch,
    takeInbound(frontier.inbound, (url) => frontier.known.get(url)?.linkedFrom),
  );
  frontier.changed = new Set();
  frontier.batch = emptyBatch();
  frontier.pendingBytes = 0;
  return batch;
}

/** A message may quote text of a site, which may be long or hold characters that the database rejects. */
function storable({ code, detail }: Failure): Failure {
  return { code, detail: recordable(shownText(detail)) };
}

function addNotPlanned(frontier: Frontier, url: string, linkedFrom: string | null): Entry {
  const entry: Entry = { url, position: -1, depth: 0, linkedFrom, state: "not_a_page" };
  frontier.known.set(url, entry);
  return entry;
}
