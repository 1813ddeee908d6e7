import { STATUS_CODES } from "node:http";
import { encodeSource } from "../database/page-sources.ts";
import { type ExclusionReason, type Failure, type FailureCode, PageError } from "../domain/failure.ts";
import { judgeUrl, normaliseUrl } from "../domain/url-scope.ts";
import { addPage, close, discover, type Entry, exclude, type Ledger } from "./ledger.ts";
import type { FetchedPage } from "./page-fetcher.ts";

/** What came of fetching an entry: an answer, no answer, or a redirect to where the Spider may not go. */
export type Outcome = { page: FetchedPage } | { error: PageError } | { refused: ExclusionReason };

export type SettleOptions = {
  preferCanonicalUrls: boolean;
  deepCrawl: boolean;
  /** false: nobody will check the HTML, so the source is not kept. */
  keepSources: boolean;
  /** Fetches a page that another one names as its canonical form; undefined when that fails. */
  fetchCanonical: (url: string) => Promise<FetchedPage | undefined>;
};

/** Sitemap indexes may list indexes, to this depth. */
const DEEPEST_SITEMAP = -3;

/**
 * Decides what an answer means for the crawl: a page, a failed page, a list of URLs or
 * nothing of these, and which URLs follow from it. Called in the order of the visits.
 */
export async function settle(ledger: Ledger, entry: Entry, outcome: Outcome, options: SettleOptions): Promise<void> {
  // Stored meanwhile, as the target of a redirect or of a canonical link.
  if (entry.state !== "running") return;
  if ("refused" in outcome) {
    exclude(ledger, entry.url, entry.linkedFrom, outcome.refused);
    if (isStart(entry)) noteStart(ledger, refusedStart(entry.url, outcome.refused));
  } else if ("error" in outcome) settleError(ledger, entry, outcome.error);
  else await settleAnswer(ledger, entry, outcome.page, options);
}

function settleError(ledger: Ledger, entry: Entry, error: PageError): void {
  if (error.code === "blocked_address" && !isStart(entry))
    exclude(ledger, entry.url, entry.linkedFrom, "blocked_address");
  else fail(ledger, entry, entry.url, null, error.failure);
}

async function settleAnswer(ledger: Ledger, entry: Entry, page: FetchedPage, options: SettleOptions): Promise<void> {
  const url = normaliseUrl(page.url);
  if (url !== entry.url) {
    const target = ledger.known.get(url);
    // The starting URL is not left out by a redirect, it has moved.
    if (isStart(entry)) close(ledger, entry, "gone");
    else exclude(ledger, entry.url, entry.linkedFrom, "duplicate_redirect");
    if ((target && target.state !== "waiting" && target.state !== "running") || ledger.excluded.has(url)) return;
  }
  const { status, kind } = page;
  if (status >= 400) {
    const text = [status, STATUS_CODES[status]].filter(Boolean).join(" ");
    fail(ledger, entry, url, status, { code: "http_error", detail: `${url} answered ${text}.` });
  } else if (kind === "sitemap" || (kind === "text-list" && entry.depth === 0)) settleList(ledger, entry, url, page);
  else if (kind !== "html" || entry.depth < 0) {
    exclude(ledger, url, entry.linkedFrom, "not_html");
    if (isStart(entry)) noteStart(ledger, { code: "not_html", detail: notHtml(url, page) });
  } else if (page.source === undefined || page.source === "") {
    const detail = `${url} answered ${status} with an empty document (0 characters).`;
    fail(ledger, entry, url, status, { code: "empty", detail });
  } else await settlePage(ledger, entry, { ...page, url }, options);
}

/** A sitemap or text list is no page; its URLs are one link away, as if it were one. */
function settleList(ledger: Ledger, entry: Entry, url: string, list: FetchedPage): void {
  close(ledger, entry, "gone");
  for (const found of list.links) discover(ledger, found, 1, url);
  if (entry.depth > DEEPEST_SITEMAP)
    for (const found of list.sitemaps ?? []) discover(ledger, found, entry.depth - 1, url);
  if (!isStart(entry) || list.links.length + (list.sitemaps ?? []).length > 0) return;
  const name = list.kind === "sitemap" ? "a sitemap" : "a text list";
  noteStart(ledger, { code: "empty", detail: `${url} is ${name} that names no URL.` });
}

async function settlePage(ledger: Ledger, entry: Entry, page: FetchedPage, options: SettleOptions): Promise<void> {
  const canonical = options.preferCanonicalUrls ? canonicalUrl(ledger, page) : undefined;
  const state = canonical === undefined ? undefined : ledger.known.get(canonical)?.state;
  const linkedFrom = ledger.known.get(page.url)?.linkedFrom ?? entry.linkedFrom;
  if (canonical === undefined || state === "failed" || state === "gone") {
    store(ledger, page, linkedFrom, options);
  } else if (state === "page") {
    exclude(ledger, page.url, linkedFrom, "duplicate_canonical");
  } else {
    const better = await options.fetchCanonical(canonical);
    if (better) replace(ledger, entry, page, { ...better, url: normaliseUrl(better.url) }, canonical, options);
    // Better a page under the wrong name than none.
    else store(ledger, page, linkedFrom, options);
  }
  follow(ledger, page, entry.depth, options);
}

/** The page that another one declares to be the true one takes its place. */
function replace(
  ledger: Ledger,
  entry: Entry,
  page: FetchedPage,
  better: FetchedPage,
  canonical: string,
  options: SettleOptions,
): void {
  const linkedFrom = ledger.known.get(page.url)?.linkedFrom ?? entry.linkedFrom;
  if (better.url === page.url) {
    // The canonical URL leads back here.
    store(ledger, page, linkedFrom, options);
    return;
  }
  exclude(ledger, page.url, linkedFrom, "duplicate_canonical");
  if (better.url !== canonical) exclude(ledger, canonical, page.url, "duplicate_redirect");
  const named = ledger.known.get(better.url);
  if (named && named.state !== "waiting" && named.state !== "running") return;
  store(ledger, better, named?.linkedFrom ?? page.url, options);
  follow(ledger, better, entry.depth, options);
}

function canonicalUrl(ledger: Ledger, page: FetchedPage): string | undefined {
  if (page.canonical === undefined) return undefined;
  const verdict = judgeUrl(page.canonical, ledger.scope);
  if (verdict.kind !== "visit" || verdict.url === page.url || !ledger.allowed(verdict.url)) return undefined;
  // One that is excluded already was found to be no page.
  return ledger.excluded.has(verdict.url) ? undefined : verdict.url;
}

function store(ledger: Ledger, page: FetchedPage, linkedFrom: string | null, options: SettleOptions): void {
  if (options.keepSources) ledger.pendingBytes += page.source?.length ?? 0;
  addPage(ledger, {
    url: page.url,
    linkedFrom,
    httpStatus: page.status,
    source: options.keepSources ? encodeSource(page.source ?? "") : undefined,
    failure: undefined,
  });
}

function follow(ledger: Ledger, page: FetchedPage, depth: number, options: SettleOptions): void {
  if (!options.deepCrawl && depth > 0) return;
  for (const link of page.links) discover(ledger, link, depth + 1, page.url);
}

function fail(ledger: Ledger, entry: Entry, url: string, httpStatus: number | null, failure: Failure): void {
  if (entry.depth < 0) {
    // A list named by a list is no page when it is broken either.
    exclude(ledger, entry.url, entry.linkedFrom, "not_html");
    return;
  }
  if (isStart(entry)) noteStart(ledger, failure);
  const linkedFrom = ledger.known.get(url)?.linkedFrom ?? entry.linkedFrom;
  addPage(ledger, { url, linkedFrom, httpStatus, source: undefined, failure });
}

function isStart(entry: Entry): boolean {
  return entry.position === 0;
}

function noteStart(ledger: Ledger, failure: Failure): void {
  ledger.batch.startFailure = failure;
}

function notHtml(url: string, { status, contentType }: FetchedPage): string {
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
