import type { NewPage } from "../database/crawl/crawl.ts";
import type { StoredReferences } from "../database/crawl/page-references.ts";
import type { StoredSource } from "../database/crawl/page-sources.ts";
import { namesChanged, type ShownChange } from "../domain/acts/changed.ts";
import { leftOutTexts } from "../domain/coverage/left-out.ts";
import { errorText } from "../domain/error-text.ts";
import { BrokenEnvironmentError } from "../domain/errors.ts";
import { type ExclusionReason, type Failure, type FailureCode, PageError } from "../domain/failure.ts";
import { number } from "../domain/plural.ts";
import { isIncluded, judgeUrl, type Verdict } from "../domain/scope/url-scope.ts";
import { asksToSignIn, endsSession, hasSignIn, isSignInAddress } from "../domain/sign-in/sign-in-page.ts";
import type { Redirect } from "../net/guarded-fetch.ts";
import type { Logger } from "../telemetry/log.ts";
import {
  addPage,
  close,
  createLinkBudget,
  discoverAll,
  type Entry,
  endFamily,
  endsAtSignIn,
  exclude,
  excludeUnlessKnown,
  type Frontier,
  followRedirect,
  isDecided,
  type LinkBudget,
  notice,
  noticeWriter,
  pageUrl,
  recordStartFailure,
} from "./frontier.ts";
import { linkLimits } from "./link-limits.ts";
import type { FetchedPage } from "./page-fetcher.ts";

// Not imported: an import of node:http evaluates all its exports. One is WebSocket, which loads a second undici.
const { STATUS_CODES } = process.getBuiltinModule("node:http");

/** A fetched page that waits to be handled. Its source is compressed, because many pages may wait. */
export type FetchResult = Omit<FetchedPage, "document" | "utf8" | "rendered" | "references"> & {
  /** Undefined when the report does not check HTML, or the response has no document. */
  source: StoredSource | undefined;
  /** What the page needs, if checks need the whole crawl. */
  references?: StoredReferences;
  /** True for a document without any characters. */
  isEmpty: boolean;
  /** What it has in common with pages of equal structure, if acting looks at a few of each. */
  template?: string;
  title?: string | null;
  /** How long it took to receive it. */
  fetchMs?: number | undefined;
  /** Equal for the same document under another URL, if the server says so. */
  documentId?: string;
  /** A redirect led there, and it shows that something has changed. */
  change?: ShownChange;
  /** What in it says that whoever is signed in can change the site. */
  writes?: string;
};

/** The outcome of fetching an entry: a response, an error, or a redirect to a URL that the crawl excludes. */
export type FetchOutcome = (
  | { page: FetchResult }
  | { error: PageError; fetchMs?: number }
  | { excluded: ExclusionReason }
) & {
  /** On the way there. */
  redirects?: readonly Redirect[];
};

export type FetchOutcomeOptions = {
  preferCanonicalUrls: boolean;
  /** Whether what redirects where is stored. */
  keepsRedirects?: boolean;
  deepCrawl: boolean;
  /** The URLs of the variants in which a page is checked, too. */
  variantsOf?: (url: string) => readonly string[];
  /** Fetches the page that a canonical link names; undefined when that fails. */
  fetchCanonical: (url: string) => Promise<FetchResult | "leads_to_page" | undefined>;
};

/** A sitemap index may list other indexes, down to this depth. */
const MAX_SITEMAP_DEPTH = -3;

/**
 * Decides what the outcome of a fetch means for the crawl: a page, a failed page, a list of URLs or an
 * excluded URL. Adds the URLs that the response links to. Must be called in the order of the visits.
 */
export async function handleFetchOutcome(
  frontier: Frontier,
  entry: Entry,
  outcome: FetchOutcome,
  options: FetchOutcomeOptions,
): Promise<void> {
  // In the meantime another visit has stored this URL, as the target of a redirect or of a canonical link.
  if (entry.state !== "running") return;
  const end = "page" in outcome ? pageUrl(frontier, outcome.page.url) : undefined;
  for (const { from, to, status, fragment = "" } of outcome.redirects ?? []) {
    const url = pageUrl(frontier, from);
    // Redirects that set a cookie may come back.
    if (url === pageUrl(frontier, to) || url === end) continue;
    if (status === null) notice(frontier, "redirected_by_page", url, `Leads to ${to}.`);
    if (options.keepsRedirects) frontier.batch.answers.push({ url, status, location: to + fragment, failure: null });
  }
  const change = entry.depth < 0 ? undefined : changeOf(frontier, entry, outcome);
  if (change) endFamily(frontier, entry.url, `It led to ${change}.`);
  if (entry.depth < 0) handleSitemap(frontier, entry, outcome);
  else if ("excluded" in outcome) {
    exclude(frontier, entry.url, entry.linkedFrom, outcome.excluded);
    if (isStart(entry)) recordStartFailure(frontier, startExclusionFailure(entry.url, outcome.excluded));
  } else if ("error" in outcome) handleFetchError(frontier, entry, outcome.error, outcome.fetchMs);
  else await handleFetchResult(frontier, entry, outcome.page, options);
}

/** Where a visit of the session was led that shows that something has changed, and how. A session that has ended says so, too. */
function changeOf({ scope: { acts } }: Frontier, entry: Entry, outcome: FetchOutcome): string | undefined {
  if (isStart(entry) || !acts?.guardsPages || !acts.signedIn(entry.url)) return undefined;
  const { url = "", signIn, change } = "page" in outcome ? outcome.page : {};
  if (isSignInAddress(url) || (signIn && hasSignIn(signIn))) return undefined;
  const named = outcome.redirects?.find(({ to }) => namesChanged(to) && !isSignInAddress(to) && !endsSession(to))?.to;
  if (named !== undefined || change === "a message") return `${named ?? url}, which says that something has changed`;
  return change && `${url}, which had an entry of it before, and has it no more`;
}

/** A sitemap that another one or robots.txt names is not a page, even when it fails. What was not read as a list is said. */
function handleSitemap(frontier: Frontier, entry: Entry, outcome: FetchOutcome): void {
  const failed = (reason: ExclusionReason, detail: string): void => {
    notice(frontier, "sitemap_failed", entry.url, detail);
    exclude(frontier, entry.url, entry.linkedFrom, reason);
  };
  if ("excluded" in outcome) {
    const { excluded } = outcome;
    if (excluded === "duplicate_redirect") failed(excluded, "It redirects to a page.");
    else failed(excluded, `It, or what it redirects to, was not requested: ${leftOutTexts[excluded].clause}.`);
  } else if ("error" in outcome) {
    const { code, detail } = outcome.error.failure;
    failed(code === "blocked_address" ? code : "not_html", detail);
  } else {
    const list = { ...outcome.page, url: pageUrl(frontier, outcome.page.url) };
    if (list.status >= 400) failed("not_html", respondedWith(list));
    else if (list.kind !== "sitemap" && list.kind !== "text-list") failed("not_html", notAList(list));
    else {
      if (list.url !== entry.url) exclude(frontier, entry.url, entry.linkedFrom, "duplicate_redirect");
      handleUrlList(frontier, entry, list);
    }
  }
}

function respondedWith({ url, status }: Pick<FetchResult, "url" | "status">): string {
  return `${url} responded with ${[status, STATUS_CODES[status]].filter(Boolean).join(" ")}.`;
}

/** What a visit ended at instead of a page. */
export function signInText(asked: string, page: Pick<FetchResult, "url" | "status">): string {
  if (page.status >= 400) return `${respondedWith(page).slice(0, -1)} and a form to sign in.`;
  return page.url === asked ? `${asked} shows a form to sign in instead.` : `${asked} leads to a sign-in: ${page.url}.`;
}

function handleFetchError(frontier: Frontier, entry: Entry, error: PageError, fetchMs: number | undefined): void {
  if (error.code === "blocked_address" && !isStart(entry))
    exclude(frontier, entry.url, entry.linkedFrom, "blocked_address");
  // It was found to end the session.
  else if (error.code === "excluded" && !isStart(entry)) exclude(frontier, entry.url, entry.linkedFrom, "signs_out");
  else fail(frontier, entry, { url: entry.url, httpStatus: null, fetchMs }, error.failure);
}

async function handleFetchResult(
  frontier: Frontier,
  entry: Entry,
  page: FetchResult,
  options: FetchOutcomeOptions,
): Promise<void> {
  const url = pageUrl(frontier, page.url);
  const redirected = url !== entry.url;
  const failed = { url, httpStatus: page.status, fetchMs: page.fetchMs };
  if (endsAtSignIn(frontier, entry.url, page)) {
    fail(
      frontier,
      entry,
      { ...failed, url: entry.url },
      { code: "login_required", detail: signInText(entry.url, page) },
    );
    return;
  }
  if (redirected && isDecided(frontier, url)) {
    exclude(frontier, entry.url, entry.linkedFrom, "duplicate_redirect");
    return;
  }
  const subject = { ...page, url };
  // The user named it, so that it leads on.
  const isOutside = entry.depth === 0 && !isIncluded(url, frontier.scope);
  const canonical = isPage(page) && !isOutside ? await findCanonical(frontier, subject, options) : undefined;
  // No await from here on: otherwise a batch could hold only a part of this response's changes.
  if (redirected) closeRedirectedEntry(frontier, entry);
  if (page.status >= 400) {
    fail(frontier, entry, failed, { code: "http_error", detail: respondedWith(subject) });
  } else if (page.kind === "sitemap" || (page.kind === "text-list" && entry.depth === 0)) {
    handleUrlList(frontier, entry, subject);
  } else if (page.kind !== "html") {
    exclude(frontier, url, entry.linkedFrom, "not_html");
    if (isStart(entry)) recordStartFailure(frontier, { code: "not_html", detail: notHtml(subject) });
  } else if (page.isEmpty) {
    const detail = `${url} responded with ${page.status} and an empty document (0 characters).`;
    fail(frontier, entry, failed, { code: "empty", detail });
  } else if (isOutside) {
    exclude(frontier, url, entry.linkedFrom, "not_included");
    follow(frontier, subject, entry, options);
  } else if (isSameDocument(frontier, subject)) {
    exclude(frontier, url, entry.linkedFrom, "duplicate_canonical");
    frontier.inbound.copies.add(url);
    follow(frontier, subject, entry, options);
  } else {
    storePageOrCanonical(frontier, entry, subject, canonical, options);
    follow(frontier, subject, entry, options);
  }
}

/** Whether a document was stored under another URL already; that is said. */
function isSameDocument(frontier: Frontier, { documentId, url }: FetchResult): boolean {
  const stored = documentId === undefined ? undefined : frontier.documents.get(documentId);
  if (stored === undefined || stored === url) return false;
  notice(frontier, "same_document", url, `It is ${stored}.`);
  return true;
}

/** A redirected URL is excluded, except the starting URL, whose redirect means that the site has moved. */
function closeRedirectedEntry(frontier: Frontier, entry: Entry): void {
  if (isStart(entry)) close(frontier, entry, "not_a_page");
  else exclude(frontier, entry.url, entry.linkedFrom, "duplicate_redirect");
}

/** A sitemap or text list is not stored as a page. Its URLs have depth 1, like the links of a page. */
function handleUrlList(frontier: Frontier, entry: Entry, list: FetchResult): void {
  close(frontier, entry, "not_a_page");
  const sitemaps = list.sitemaps ?? [];
  for (const { code, detail, howMany } of list.problems ?? []) notice(frontier, code, list.url, detail, howMany);
  discoverAll(frontier, list.links, 1, list.url);
  if (entry.depth > MAX_SITEMAP_DEPTH) discoverAll(frontier, sitemaps, entry.depth - 1, list.url);
  if (!isStart(entry) || list.links.length + sitemaps.length > 0) return;
  const name = list.kind === "sitemap" ? "a sitemap" : "a text list";
  recordStartFailure(frontier, { code: "empty", detail: `${list.url} is ${name} without any URLs.` });
}

/**
 * The target of a page's canonical link: `leads_here` when it redirects to this page or to one that is stored, so that this
 * page is kept; else its URL, and the page to store instead unless it already is a page.
 */
type Canonical = "leads_here" | { url: string; named: string; page?: FetchResult };

async function findCanonical(
  frontier: Frontier,
  page: FetchResult,
  options: FetchOutcomeOptions,
): Promise<Canonical | undefined> {
  const named = options.preferCanonicalUrls ? canonicalUrl(frontier, page) : undefined;
  if (named === undefined) return undefined;
  if (isDecided(frontier, named)) return storedPage(frontier, named);
  const canonicalPage = await options.fetchCanonical(named);
  if (canonicalPage === "leads_to_page") return "leads_here";
  if (!canonicalPage) return undefined;
  const url = pageUrl(frontier, canonicalPage.url);
  // The canonical URL may redirect back to this page, or to a URL that is known not to be a page.
  if (url === page.url) return "leads_here";
  if (isDecided(frontier, url)) return storedPage(frontier, url);
  return { url, named, page: { ...canonicalPage, url } };
}

function storedPage(frontier: Frontier, url: string): Canonical | undefined {
  return frontier.known.get(url)?.state === "page" ? { url, named: url } : undefined;
}

/** Stores the canonical page instead of the page that names it; without a canonical page, the page itself. */
function storePageOrCanonical(
  frontier: Frontier,
  entry: Entry,
  page: FetchResult,
  canonical: Canonical | undefined,
  options: FetchOutcomeOptions,
): void {
  const linkedFrom = frontier.known.get(page.url)?.linkedFrom ?? entry.linkedFrom;
  // A page under a URL that is not canonical is better than no page.
  if (canonical === undefined || canonical === "leads_here") {
    if (canonical === undefined) noticeCanonical(frontier, page);
    store(frontier, page, linkedFrom, options);
    return;
  }
  exclude(frontier, page.url, linkedFrom, "duplicate_canonical");
  rememberDocument(frontier, page, canonical.url);
  if (canonical.page === undefined) return;
  if (canonical.url !== canonical.named) exclude(frontier, canonical.named, page.url, "duplicate_redirect");
  store(frontier, canonical.page, frontier.known.get(canonical.url)?.linkedFrom ?? page.url, options);
  follow(frontier, canonical.page, entry, options);
}

/** Says that the canonical URL of a page that was stored is not this page. It may become a page by another link. */
function noticeCanonical(frontier: Frontier, page: FetchResult): void {
  const isNone = page.canonical === undefined || page.url.includes("#");
  const verdict = isNone ? undefined : judgeUrl(page.canonical ?? "", frontier.scope);
  if (!verdict || verdict.kind === "ignore") return;
  if (isLeftOut(frontier, verdict)) return;
  // Another scheme is no other page.
  if (verdict.url.replace(/^https?/, "") === page.url.replace(/^https?/, "")) return;
  if (frontier.known.get(verdict.url)?.state === "page") return;
  if (verdict.kind === "skip" && verdict.reason === "off_site") {
    // One for each host, because every page of a copied site declares one.
    notice(frontier, "canonical_elsewhere", new URL("/", verdict.url).href, `${page.url} declares ${verdict.url}.`);
    return;
  }
  notice(frontier, "canonical_not_checked", verdict.url, `${page.url} declares it.`);
}

/** Whether the report's own settings leave a URL out: what it says of itself is no gap. */
function isLeftOut(frontier: Frontier, verdict: Verdict): boolean {
  if (verdict.kind === "skip")
    return ["exclusion", "not_included", "signs_out", "acts", "forms"].includes(verdict.reason);
  return verdict.kind === "visit" && !frontier.allowed(verdict.url);
}

function canonicalUrl(frontier: Frontier, page: FetchResult): string | undefined {
  // No canonical link tells views behind a `#` apart.
  if (page.canonical === undefined || page.url.includes("#")) return undefined;
  const verdict = judgeUrl(page.canonical, frontier.scope);
  if (verdict.kind !== "visit" || verdict.url === page.url) return undefined;
  return frontier.allowed(verdict.url) ? verdict.url : undefined;
}

/** For `isSameDocument`: under which URL a document is among the pages. */
function rememberDocument(frontier: Frontier, { documentId }: FetchResult, stored: string): void {
  if (documentId !== undefined) frontier.documents.set(documentId, stored);
}

function store(
  frontier: Frontier,
  page: FetchResult,
  linkedFrom: string | null,
  { variantsOf }: Pick<FetchOutcomeOptions, "variantsOf">,
): void {
  rememberDocument(frontier, page, page.url);
  if (page.signIn && page.signIn.weight > 0) frontier.signIns.set(page.url, page.signIn);
  const stored: NewPage = {
    url: page.url,
    linkedFrom,
    httpStatus: page.status,
    // What is behind a `#` shares the document of its page.
    source: page.url.includes("#") ? undefined : page.source,
    references: page.references,
    failure: undefined,
    showsSignIn: page.signIn !== undefined && hasSignIn(page.signIn),
    template: page.template,
    title: page.title,
    fetchMs: page.fetchMs,
  };
  addPage(frontier, stored, variantsOf?.(page.url));
  for (const { code, detail, howMany } of page.notices ?? []) notice(frontier, code, page.url, detail, howMany);
}

/**
 * Without `deepCrawl` only the starting URL's links are followed. Initial URLs and a sitemap's entries are visited, but
 * their links are not followed.
 */
function follow(frontier: Frontier, page: FetchResult, entry: Entry, options: FetchOutcomeOptions): void {
  if (!options.deepCrawl && !isStart(entry)) return;
  const fits = createLinkBudget(frontier);
  judgeLinks(frontier, page);
  discoverAll(frontier, page.links, entry.depth + 1, page.url, fits);
  if (frontier.scope.followHashRoutes) followRoutes(frontier, page, entry, fits);
  else noticeRoutes(frontier, page, fits);
  if (page.needsScripts) notice(frontier, "scripts_not_run", page.url);
  const [template] = page.templates ?? [];
  if (template !== undefined)
    notice(frontier, "links_need_scripts", page.url, `Such as ${template.slice(0, 200)}.`, page.templates?.length);
  if (page.unread !== undefined) excludeUnlessKnown(frontier, page.unread, page.url, "link_limit");
}

/** Sees which links say that they lead to a sign-in; leaves out what their elements say that it acts, and sees what all links of a page carry. */
function judgeLinks(frontier: Frontier, { url: page, links, marked = [], writes }: FetchResult): void {
  const { acts, inSession } = frontier.scope;
  // A session that has ended has such links, too.
  if (!inSession)
    for (const { url, text } of marked) if (asksToSignIn(text)) frontier.namedSignIns.add(pageUrl(frontier, url));
  if (!acts?.signedIn(page)) return;
  acts.seeLinks(links, page);
  if (writes !== undefined) noticeWriter(frontier, page, `It has ${writes}.`);
  for (const link of marked) {
    const sign = acts.signOfLink(link);
    const url = sign && pageUrl(frontier, link.url);
    const state = url && frontier.known.get(url)?.state;
    if (url && (state === undefined || state === "waiting"))
      exclude(frontier, url, page, sign.reason, `Its link has ${sign.text}.`);
  }
}

function followRoutes(
  frontier: Frontier,
  { routes = [], url: page }: FetchResult,
  { depth }: Entry,
  fits: LinkBudget,
): void {
  discoverAll(frontier, routes, depth + 1, page, fits);
  if (routes.length >= linkLimits.maxRoutes)
    notice(
      frontier,
      "link_limit",
      page,
      `Of the views behind a # the first ${number(linkLimits.maxRoutes)} were read.`,
    );
}

/** Says that views behind a `#` were not opened: once for each page that has them. */
function noticeRoutes(frontier: Frontier, { routes = [], url: page }: FetchResult, fits: LinkBudget): void {
  const unread = routes.findIndex((route) => !fits(route));
  const read = unread === -1 ? routes : routes.slice(0, unread);
  if (unread !== -1) excludeUnlessKnown(frontier, routes[unread] ?? page, page, "link_limit");
  const judged = read.map((route) => ({ route, verdict: judgeUrl(route, frontier.scope) }));
  const ofPages = judged.flatMap(({ route, verdict }) =>
    verdict.kind === "visit" ? [{ route, url: verdict.url }] : [],
  );
  for (const [url, links] of Map.groupBy(ofPages, (one) => one.url)) {
    const hashes = links.slice(0, 5).map(({ route }) => route.slice(route.indexOf("#")));
    notice(frontier, "hash_routes_not_opened", url, `Such as ${hashes.join(", ")}.`, links.length);
  }
}

function fail(
  frontier: Frontier,
  entry: Entry,
  { url, ...received }: Pick<NewPage, "url" | "httpStatus" | "fetchMs">,
  failure: Failure,
): void {
  if (isStart(entry)) recordStartFailure(frontier, failure);
  const linkedFrom = frontier.known.get(url)?.linkedFrom ?? entry.linkedFrom;
  if (url !== entry.url) followRedirect(frontier, entry.url, url);
  addPage(frontier, { url, linkedFrom, ...received, source: undefined, failure });
}

function isStart(entry: Entry): boolean {
  return entry.position === 0;
}

function isPage(page: FetchResult): boolean {
  return page.kind === "html" && page.status < 400 && !page.isEmpty;
}

function notHtml({ url, status, contentType }: FetchResult): string {
  return `${url} is not an HTML document, a sitemap or a list of URLs: it responded with ${status} and ${typeText(contentType)}.`;
}

function typeText(contentType: string): string {
  return contentType === "" ? "no Content-Type" : `Content-Type ${JSON.stringify(contentType)}`;
}

function notAList({ url, status, contentType }: FetchResult): string {
  return `${url} is neither a sitemap nor a list of URLs: it responded with ${status} and ${typeText(contentType)}.`;
}

function startExclusionFailure(url: string, reason: ExclusionReason): Failure {
  const code: FailureCode = reason === "off_site" ? "off_site" : "excluded";
  return { code, detail: `The starting URL ${url} is excluded: ${leftOutTexts[reason].clause}.` };
}

/** Thrown inside a fetch when the crawl excludes the URL that is to be requested next. */
export class ExcludedUrlError extends Error {
  readonly reason: ExclusionReason;

  constructor(reason: ExclusionReason, url: string) {
    super(`${url} is excluded: ${reason}`);
    this.name = "ExcludedUrlError";
    this.reason = reason;
  }
}

/**
 * The outcome of a fetch that threw. An unexpected error fails only its page, so that no page can end a crawl.
 *
 * @throws BrokenEnvironmentError when the error is one: it says nothing about the page
 */
export function toFetchOutcome(error: unknown, url: string, log: Logger): FetchOutcome {
  if (error instanceof ExcludedUrlError) return { excluded: error.reason };
  if (error instanceof PageError) return { error };
  if (error instanceof BrokenEnvironmentError) throw error;
  log.error("a page could not be read", { url, error });
  return { error: new PageError("unreadable", `${url} could not be read: ${errorText(error).slice(0, 500)}`) };
}
