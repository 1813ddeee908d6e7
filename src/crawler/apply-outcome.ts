import type { StoredSource } from "../database/crawl/page-sources.ts";
import { type ExclusionReason, type Failure, type FailureCode, PageError } from "../domain/failure.ts";
import { judgeUrl, normaliseUrl } from "../domain/url-scope.ts";
import {
  addPage,
  close,
  discover,
  type Entry,
  exclude,
  type Frontier,
  isDecided,
  noteStartFailure,
} from "./frontier.ts";
import type { FetchedPage } from "./page-fetcher.ts";

// Not imported: an import of node:http evaluates all that it exports, WebSocket and with it a second undici.
const { STATUS_CODES } = process.getBuiltinModule("node:http");

/** A fetched page as it is kept until its turn: compressed, since many may wait. */
export type FetchResult = Omit<FetchedPage, "source"> & {
  /** Undefined when nobody will check the HTML. */
  source: StoredSource | undefined;
  /** True for a document without a character. */
  isEmpty: boolean;
};

/** What came of fetching an entry: an answer, no answer, or a redirect to where the Spider may not go. */
export type Outcome = { page: FetchResult } | { error: PageError } | { refused: ExclusionReason };

export type OutcomeOptions = {
  preferCanonicalUrls: boolean;
  deepCrawl: boolean;
  /** Fetches a page that another one names as its canonical form; undefined when that fails. */
  fetchCanonical: (url: string) => Promise<FetchResult | undefined>;
};

/** Sitemap indexes may list indexes, to this depth. */
const MAX_SITEMAP_DEPTH = -3;

/**
 * Decides what an answer means for the crawl: a page, a failed page, a list of URLs or
 * nothing of these, and which URLs follow from it. Called in the order of the visits.
 */
export async function applyOutcome(
  frontier: Frontier,
  entry: Entry,
  outcome: Outcome,
  options: OutcomeOptions,
): Promise<void> {
  // Stored meanwhile, as the target of a redirect or of a canonical link.
  if (entry.state !== "running") return;
  if ("refused" in outcome) {
    exclude(frontier, entry.url, entry.linkedFrom, outcome.refused);
    if (isStart(entry)) noteStartFailure(frontier, refusedStart(entry.url, outcome.refused));
  } else if ("error" in outcome) applyError(frontier, entry, outcome.error);
  else await applyFetchResult(frontier, entry, outcome.page, options);
}

function applyError(frontier: Frontier, entry: Entry, error: PageError): void {
  if (error.code === "blocked_address" && !isStart(entry))
    exclude(frontier, entry.url, entry.linkedFrom, "blocked_address");
  else fail(frontier, entry, entry.url, null, error.failure);
}

async function applyFetchResult(
  frontier: Frontier,
  entry: Entry,
  page: FetchResult,
  options: OutcomeOptions,
): Promise<void> {
  const url = normaliseUrl(page.url);
  const redirected = url !== entry.url;
  if (redirected && isDecided(frontier, url)) {
    exclude(frontier, entry.url, entry.linkedFrom, "duplicate_redirect");
    return;
  }
  const subject = { ...page, url };
  const better = isPage(entry, page) ? await findCanonical(frontier, subject, options) : undefined;
  // From here on nothing is awaited: a batch never holds half of what an answer means.
  if (redirected) leaveRedirect(frontier, entry);
  if (page.status >= 400) {
    const text = [page.status, STATUS_CODES[page.status]].filter(Boolean).join(" ");
    fail(frontier, entry, url, page.status, { code: "http_error", detail: `${url} answered ${text}.` });
  } else if (page.kind === "sitemap" || (page.kind === "text-list" && entry.depth === 0)) {
    applyList(frontier, entry, subject);
  } else if (page.kind !== "html" || entry.depth < 0) {
    exclude(frontier, url, entry.linkedFrom, "not_html");
    if (isStart(entry)) noteStartFailure(frontier, { code: "not_html", detail: notHtml(subject) });
  } else if (page.isEmpty) {
    const detail = `${url} answered ${page.status} with an empty document (0 characters).`;
    fail(frontier, entry, url, page.status, { code: "empty", detail });
  } else {
    applyPage(frontier, entry, subject, better, options);
    follow(frontier, subject, entry.depth, options);
  }
}

/** The starting URL is not left out by a redirect: it has moved. */
function leaveRedirect(frontier: Frontier, entry: Entry): void {
  if (isStart(entry)) close(frontier, entry, "gone");
  else exclude(frontier, entry.url, entry.linkedFrom, "duplicate_redirect");
}

/** A sitemap or text list is no page; its URLs are one link away, as if it were one. */
function applyList(frontier: Frontier, entry: Entry, list: FetchResult): void {
  close(frontier, entry, "gone");
  const sitemaps = list.sitemaps ?? [];
  for (const found of list.links) discover(frontier, found, 1, list.url);
  if (entry.depth > MAX_SITEMAP_DEPTH)
    for (const found of sitemaps) discover(frontier, found, entry.depth - 1, list.url);
  if (!isStart(entry) || list.links.length + sitemaps.length > 0) return;
  const name = list.kind === "sitemap" ? "a sitemap" : "a text list";
  noteStartFailure(frontier, { code: "empty", detail: `${list.url} is ${name} that names no URL.` });
}

/** What a page's canonical link comes to: the name of a page that is stored already, or a page to store instead. */
type Canonical = "stored" | { named: string; page: FetchResult };

async function findCanonical(
  frontier: Frontier,
  page: FetchResult,
  options: OutcomeOptions,
): Promise<Canonical | undefined> {
  const named = options.preferCanonicalUrls ? canonicalUrl(frontier, page) : undefined;
  if (named === undefined) return undefined;
  if (isDecided(frontier, named)) return frontier.known.get(named)?.state === "page" ? "stored" : undefined;
  const better = await options.fetchCanonical(named);
  if (!better) return undefined;
  const url = normaliseUrl(better.url);
  // It may lead back here, or to what was found to be no page.
  if (url === page.url) return undefined;
  if (isDecided(frontier, url)) return frontier.known.get(url)?.state === "page" ? "stored" : undefined;
  return { named, page: { ...better, url } };
}

/** The page that another one declares to be the true one takes its place; without one it keeps its own. */
function applyPage(
  frontier: Frontier,
  entry: Entry,
  page: FetchResult,
  better: Canonical | undefined,
  options: OutcomeOptions,
): void {
  const linkedFrom = frontier.known.get(page.url)?.linkedFrom ?? entry.linkedFrom;
  // Better a page under the wrong name than none.
  if (better === undefined) {
    store(frontier, page, linkedFrom);
    return;
  }
  exclude(frontier, page.url, linkedFrom, "duplicate_canonical");
  if (better === "stored") return;
  if (better.page.url !== better.named) exclude(frontier, better.named, page.url, "duplicate_redirect");
  store(frontier, better.page, frontier.known.get(better.page.url)?.linkedFrom ?? page.url);
  follow(frontier, better.page, entry.depth, options);
}

function canonicalUrl(frontier: Frontier, page: FetchResult): string | undefined {
  if (page.canonical === undefined) return undefined;
  const verdict = judgeUrl(page.canonical, frontier.scope);
  if (verdict.kind !== "visit" || verdict.url === page.url) return undefined;
  return frontier.allowed(verdict.url) ? verdict.url : undefined;
}

function store(frontier: Frontier, page: FetchResult, linkedFrom: string | null): void {
  addPage(frontier, {
    url: page.url,
    linkedFrom,
    httpStatus: page.status,
    source: page.source,
    failure: undefined,
  });
}

function follow(frontier: Frontier, page: FetchResult, depth: number, options: OutcomeOptions): void {
  if (!options.deepCrawl && depth > 0) return;
  for (const link of page.links) discover(frontier, link, depth + 1, page.url);
}

function fail(frontier: Frontier, entry: Entry, url: string, httpStatus: number | null, failure: Failure): void {
  if (entry.depth < 0) {
    // A list named by a list is no page when it is broken either.
    exclude(frontier, entry.url, entry.linkedFrom, "not_html");
    return;
  }
  if (isStart(entry)) noteStartFailure(frontier, failure);
  const linkedFrom = frontier.known.get(url)?.linkedFrom ?? entry.linkedFrom;
  addPage(frontier, { url, linkedFrom, httpStatus, source: undefined, failure });
}

function isStart(entry: Entry): boolean {
  return entry.position === 0;
}

function isPage(entry: Entry, page: FetchResult): boolean {
  return entry.depth >= 0 && page.kind === "html" && page.status < 400 && !page.isEmpty;
}

function notHtml({ url, status, contentType }: FetchResult): string {
  const type = contentType === "" ? "no Content-Type" : `Content-Type ${JSON.stringify(contentType)}`;
  return `${url} is neither an HTML document nor a sitemap nor a list of URLs: it answered ${status} with ${type}.`;
}

function refusedStart(url: string, reason: ExclusionReason): Failure {
  const code: FailureCode = reason === "off_site" ? "off_site" : "excluded";
  const why: Partial<Record<ExclusionReason, string>> = {
    exclusion: "one of the report's exclusions matches it",
    robots: "the site's robots.txt disallows it, and the report respects robots.txt",
    trap: "it looks like a crawl trap",
  };
  return { code, detail: `The starting URL ${url} was left out: ${why[reason] ?? reason}.` };
}

/** Carries a refusal through a fetcher. */
export class Refused extends Error {
  readonly reason: ExclusionReason;

  constructor(reason: ExclusionReason, url: string) {
    super(`${url} is left out: ${reason}`);
    this.name = "Refused";
    this.reason = reason;
  }
}

/** @throws what is neither a page's fault nor a refusal: a bug, or the end of the program */
export function toOutcome(error: unknown): Outcome {
  if (error instanceof Refused) return { refused: error.reason };
  if (error instanceof PageError) return { error };
  throw error;
}
