import type { StoredSource } from "../database/page-sources.ts";
import { type ExclusionReason, type Failure, type FailureCode, PageError } from "../domain/failure.ts";
import { judgeUrl, normaliseUrl } from "../domain/url-scope.ts";
import { addPage, close, discover, type Entry, exclude, isSettled, type Ledger, noteStartFailure } from "./ledger.ts";
import type { FetchedPage } from "./page-fetcher.ts";

// Not imported: an import of node:http evaluates all that it exports, WebSocket and with it a second undici.
const { STATUS_CODES } = process.getBuiltinModule("node:http");

/** A fetched page as it is kept until its turn: compressed, since many may wait. */
export type Answer = Omit<FetchedPage, "source"> & {
  /** Undefined when nobody will check the HTML. */
  source: StoredSource | undefined;
  /** True for a document without a character. */
  isEmpty: boolean;
};

/** What came of fetching an entry: an answer, no answer, or a redirect to where the Spider may not go. */
export type Outcome = { page: Answer } | { error: PageError } | { refused: ExclusionReason };

export type SettleOptions = {
  preferCanonicalUrls: boolean;
  deepCrawl: boolean;
  /** Fetches a page that another one names as its canonical form; undefined when that fails. */
  fetchCanonical: (url: string) => Promise<Answer | undefined>;
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
    if (isStart(entry)) noteStartFailure(ledger, refusedStart(entry.url, outcome.refused));
  } else if ("error" in outcome) settleError(ledger, entry, outcome.error);
  else await settleAnswer(ledger, entry, outcome.page, options);
}

function settleError(ledger: Ledger, entry: Entry, error: PageError): void {
  if (error.code === "blocked_address" && !isStart(entry))
    exclude(ledger, entry.url, entry.linkedFrom, "blocked_address");
  else fail(ledger, entry, entry.url, null, error.failure);
}

async function settleAnswer(ledger: Ledger, entry: Entry, page: Answer, options: SettleOptions): Promise<void> {
  const url = normaliseUrl(page.url);
  const redirected = url !== entry.url;
  if (redirected && isSettled(ledger, url)) {
    exclude(ledger, entry.url, entry.linkedFrom, "duplicate_redirect");
    return;
  }
  const subject = { ...page, url };
  const better = isPage(entry, page) ? await findCanonical(ledger, subject, options) : undefined;
  // From here on nothing is awaited: a batch never holds half of what an answer means.
  if (redirected) leaveRedirect(ledger, entry);
  if (page.status >= 400) {
    const text = [page.status, STATUS_CODES[page.status]].filter(Boolean).join(" ");
    fail(ledger, entry, url, page.status, { code: "http_error", detail: `${url} answered ${text}.` });
  } else if (page.kind === "sitemap" || (page.kind === "text-list" && entry.depth === 0)) {
    settleList(ledger, entry, subject);
  } else if (page.kind !== "html" || entry.depth < 0) {
    exclude(ledger, url, entry.linkedFrom, "not_html");
    if (isStart(entry)) noteStartFailure(ledger, { code: "not_html", detail: notHtml(subject) });
  } else if (page.isEmpty) {
    const detail = `${url} answered ${page.status} with an empty document (0 characters).`;
    fail(ledger, entry, url, page.status, { code: "empty", detail });
  } else {
    settlePage(ledger, entry, subject, better, options);
    follow(ledger, subject, entry.depth, options);
  }
}

/** The starting URL is not left out by a redirect: it has moved. */
function leaveRedirect(ledger: Ledger, entry: Entry): void {
  if (isStart(entry)) close(ledger, entry, "gone");
  else exclude(ledger, entry.url, entry.linkedFrom, "duplicate_redirect");
}

/** A sitemap or text list is no page; its URLs are one link away, as if it were one. */
function settleList(ledger: Ledger, entry: Entry, list: Answer): void {
  close(ledger, entry, "gone");
  const sitemaps = list.sitemaps ?? [];
  for (const found of list.links) discover(ledger, found, 1, list.url);
  if (entry.depth > DEEPEST_SITEMAP) for (const found of sitemaps) discover(ledger, found, entry.depth - 1, list.url);
  if (!isStart(entry) || list.links.length + sitemaps.length > 0) return;
  const name = list.kind === "sitemap" ? "a sitemap" : "a text list";
  noteStartFailure(ledger, { code: "empty", detail: `${list.url} is ${name} that names no URL.` });
}

/** What a page's canonical link comes to: the name of a page that is stored already, or a page to store instead. */
type Canonical = "stored" | { named: string; page: Answer };

async function findCanonical(ledger: Ledger, page: Answer, options: SettleOptions): Promise<Canonical | undefined> {
  const named = options.preferCanonicalUrls ? canonicalUrl(ledger, page) : undefined;
  if (named === undefined) return undefined;
  if (isSettled(ledger, named)) return ledger.known.get(named)?.state === "page" ? "stored" : undefined;
  const better = await options.fetchCanonical(named);
  if (!better) return undefined;
  const url = normaliseUrl(better.url);
  // It may lead back here, or to what was found to be no page.
  if (url === page.url) return undefined;
  if (isSettled(ledger, url)) return ledger.known.get(url)?.state === "page" ? "stored" : undefined;
  return { named, page: { ...better, url } };
}

/** The page that another one declares to be the true one takes its place; without one it keeps its own. */
function settlePage(
  ledger: Ledger,
  entry: Entry,
  page: Answer,
  better: Canonical | undefined,
  options: SettleOptions,
): void {
  const linkedFrom = ledger.known.get(page.url)?.linkedFrom ?? entry.linkedFrom;
  // Better a page under the wrong name than none.
  if (better === undefined) {
    store(ledger, page, linkedFrom);
    return;
  }
  exclude(ledger, page.url, linkedFrom, "duplicate_canonical");
  if (better === "stored") return;
  if (better.page.url !== better.named) exclude(ledger, better.named, page.url, "duplicate_redirect");
  store(ledger, better.page, ledger.known.get(better.page.url)?.linkedFrom ?? page.url);
  follow(ledger, better.page, entry.depth, options);
}

function canonicalUrl(ledger: Ledger, page: Answer): string | undefined {
  if (page.canonical === undefined) return undefined;
  const verdict = judgeUrl(page.canonical, ledger.scope);
  if (verdict.kind !== "visit" || verdict.url === page.url) return undefined;
  return ledger.allowed(verdict.url) ? verdict.url : undefined;
}

function store(ledger: Ledger, page: Answer, linkedFrom: string | null): void {
  addPage(ledger, {
    url: page.url,
    linkedFrom,
    httpStatus: page.status,
    source: page.source,
    failure: undefined,
  });
}

function follow(ledger: Ledger, page: Answer, depth: number, options: SettleOptions): void {
  if (!options.deepCrawl && depth > 0) return;
  for (const link of page.links) discover(ledger, link, depth + 1, page.url);
}

function fail(ledger: Ledger, entry: Entry, url: string, httpStatus: number | null, failure: Failure): void {
  if (entry.depth < 0) {
    // A list named by a list is no page when it is broken either.
    exclude(ledger, entry.url, entry.linkedFrom, "not_html");
    return;
  }
  if (isStart(entry)) noteStartFailure(ledger, failure);
  const linkedFrom = ledger.known.get(url)?.linkedFrom ?? entry.linkedFrom;
  addPage(ledger, { url, linkedFrom, httpStatus, source: undefined, failure });
}

function isStart(entry: Entry): boolean {
  return entry.position === 0;
}

function isPage(entry: Entry, page: Answer): boolean {
  return entry.depth >= 0 && page.kind === "html" && page.status < 400 && !page.isEmpty;
}

function notHtml({ url, status, contentType }: Answer): string {
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
