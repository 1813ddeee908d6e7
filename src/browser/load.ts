import type { CDPSession, Protocol } from "puppeteer-core";
import type { ActRule } from "../domain/acts/acts.ts";
import { stepText } from "../domain/addresses/shown-address.ts";
import { withoutFragment } from "../domain/addresses/without-fragment.ts";
import { PageError } from "../domain/failure.ts";
import { belongsTo, type SiteCredentials } from "../domain/headers/site-credentials.ts";
import { leadsToAct } from "../domain/page/reached-page.ts";
import { MAX_REDIRECT_SECONDS, parseRefresh, redirectOf } from "../domain/page/refresh.ts";
import type { SignedIn } from "../domain/sign-in/session.ts";
import { MAX_URL_LENGTH } from "../settings/values.ts";
import { MAX_CLOCK_FACTOR, type Over } from "../time/clock-limit.ts";
import { giveStorage, handleAuthChallenges, headersFor, keepSession, setCookies } from "./credentials.ts";
import { type AfterLoad, MAX_TIMER_MS, type Timers } from "./late-content.ts";
import { asksForRules } from "./load-ahead.ts";
import { navigationFailure, type Requests } from "./navigation-failure.ts";
import { onlyReads, sentRequest } from "./only-read.ts";
import type { VisitClock } from "./visit-clock.ts";
import type { PageResponse, Watch } from "./watch.ts";
import type { WayIn } from "./way-in.ts";

export type LoadHooks = {
  /**
   * Awaited before each request of the main document: the first, redirects and the page's own navigations. Throws to
   * block the request. The time that it takes does not count as the page's.
   *
   * @param from the URL that led there; undefined for the first request
   * @param status of the response that led there; null if the document at `from` did, by a refresh or a script
   * @param fragment of the address, with its `#`: that of the first one is kept through redirects that name none
   */
  beforeRequest(url: string, from: string | undefined, status: number | null, fragment?: string): Promise<void>;
  /** Called with the response before the page has loaded, and again at the end. Throws to end the visit. */
  checkResponse(response: PageResponse): void;
};

/** The loaded document's response, and the URLs that redirected to it. */
export type Loaded = { response: PageResponse; redirectedFrom: string[] };

/**
 * Lets the page navigate while something is done with it, and waits until it has loaded and the network is idle again.
 *
 * @throws PageError for the document that is there then, as `load` does
 */
type Act = (work: () => Promise<void>) => Promise<void>;

type Guarded = Loaded & { act: Act; onlyRead: () => void; stopped: () => string[]; refused: () => string[] };

type LoadContext = {
  session: CDPSession;
  mainFrameId: string;
  watch: Watch;
  /** What follows the load event of the document that is there. */
  afterLoad: () => Promise<AfterLoad>;
  /** When the timers are due that its scripts have started. */
  timers: () => Promise<Timers>;
  requests: Requests;
  wayIn: Pick<WayIn, "mayPass">;
  credentials?: SiteCredentials | undefined;
  acts?: ActRule | undefined;
  untimed: VisitClock["untimed"];
};

/** Redirects and the page's own navigations together. */
const MAX_HOPS = 5;
/** Documents that are requested while something is done with a page. */
const MAX_ACTED = 20;
/** A parsed page counts as loaded after this time, even if an image never arrives. */
const MAX_LOAD_MS = 15_000;
/** How long to wait for network idle after the load event. */
const MAX_IDLE_WAIT_MS = 3_000;
/** The most that is waited for timers which lead to another page, and for any timers: they may add to the page. */
const MAX_TIMER_WAIT_MS = { leaving: MAX_TIMER_MS, any: 2_500 };
/** A timer fires a little later than it is due. */
const TIMER_DELAY_MS = 50;
/** The network is idle after this time without a change: scripts may start a request as soon as another ends. */
const IDLE_MS = 50;

/**
 * Loads a page and waits for the load event and then for network idle. After that the page cannot
 * navigate any more, unless it is acted on.
 */
export async function load(context: LoadContext, url: string, hooks: LoadHooks): Promise<Guarded> {
  const { session, credentials, untimed } = context;
  if (credentials?.session && belongsTo(credentials, url)) await untimed(credentials.session.ready);
  const storage = credentials?.session?.storage();
  let given: SignedIn = { cookies: await setCookies(session, credentials, url), storage };
  const takeStorage = await giveStorage(session, credentials, url);
  try {
    const { act, ...loaded } = await loadDocument(context, url, hooks);
    const keep = async (): Promise<void> => {
      given = await keepSession(session, credentials, loaded.response.url, given);
    };
    await keep();
    return {
      ...loaded,
      act: async (work) => {
        await act(work);
        await keep();
      },
    };
  } finally {
    await takeStorage().catch(() => {});
  }
}

async function loadDocument(context: LoadContext, url: string, hooks: LoadHooks): Promise<Guarded> {
  const { session, watch, requests } = context;
  const navigation = guardNavigation(context, url, hooks);
  handleAuthChallenges(session, watch, context.credentials, url);
  const navigated = session.send("Page.navigate", { url });
  navigated.catch(() => {});
  const { errorText, isDownload } = await Promise.race([navigated, watch.failed]);
  if (watch.reason()) throw watch.reason();
  if (errorText) throw navigationFailure(errorText, navigation.at(), isDownload ?? false, requests);
  const judge = (): PageResponse => {
    const response = watch.response();
    if (!response) throw new PageError("invalid_response", `${navigation.at()} did not respond with a document.`);
    // The proxy responds in place of servers that it could not reach.
    const failure = response.status >= 400 ? requests.failureOf(response.url) : undefined;
    if (failure) throw failure;
    hooks.checkResponse(response);
    return response;
  };
  judge();
  const settle = async (): Promise<PageResponse> => {
    await untilSettled(context);
    navigation.close();
    // A request that was refused ends in a page of the browser, too.
    if (watch.reason()) throw watch.reason();
    requireLoaded(watch, navigation.at(), requests);
    requireWeb(watch, url);
    return judge();
  };
  const response = await settle();
  const bodyError = watch.bodyError();
  // A script may stop loading by itself (net::ERR_ABORTED).
  if (bodyError !== undefined && bodyError !== "net::ERR_ABORTED")
    throw new PageError(
      "invalid_response",
      `The response of ${response.url} ended before it was complete (${bodyError}).`,
    );
  const act: Act = async (work) => {
    navigation.open();
    try {
      await acted(work);
    } catch (error) {
      // Addresses that steps lead to may have secrets.
      if (!(error instanceof PageError)) throw error;
      throw new PageError(error.code, stepText(error.message), { waitedFor: error.waitedFor });
    } finally {
      navigation.close();
    }
  };
  const acted: Act = async (work) => {
    await work().catch(async (error: unknown) => {
      // What was refused says more than the step that waited for it; and the document may be another one by now.
      if (watch.reason()) throw watch.reason();
      // A page that has not come in time will not come.
      await session.send("Page.stopLoading");
      await settle();
      throw error;
    });
    await settle();
  };
  const { ledTo, onlyRead, stopped, refused } = navigation;
  return { response, redirectedFrom: ledTo(response.url), act, onlyRead, stopped, refused };
}

/** Waits until a document has loaded that leads nowhere, and the network is idle. */
async function untilSettled(context: LoadContext): Promise<void> {
  const { watch } = context;
  const awaitTimers = createTimerWait(context);
  for (let isOver = false; !isOver; ) {
    await untilLoaded(watch);
    const document = watch.loaderId();
    const after = await readDocument(context);
    if (after.hasScripts || watch.pending() > 0) await untilNetworkIdle(watch);
    if (after.hasScripts && !watch.isLeaving() && (await awaitTimers())) await untilNetworkIdle(watch);
    isOver = watch.loaderId() === document && !(await leaves(watch, after));
  }
}

/** What follows the load event. A page that is replaced while it is asked may do anything. */
async function readDocument({ watch, afterLoad }: LoadContext): Promise<AfterLoad> {
  const before = watch.loaderId();
  try {
    return await afterLoad();
  } catch (error) {
    if (watch.loaderId() === before && !watch.isLeaving()) throw error;
    return { hasScripts: true, refreshes: [], base: watch.documentUrl() };
  }
}

/**
 * Waits for timers of the page that are due soon, with a limit for all documents of the visit.
 *
 * @returns a function that returns whether it has waited
 */
function createTimerWait({ watch, timers }: LoadContext): () => Promise<boolean> {
  const left = { ...MAX_TIMER_WAIT_MS };
  return async () => {
    // The page may be replaced while it is asked.
    const due = await timers().catch(() => ({ any: 0, leaving: 0, repeated: 0, last: 0 }));
    const wait = Math.max(
      ...(["any", "leaving"] as const).map((which) => (due[which] <= left[which] ? due[which] : 0)),
    );
    if (wait <= 0) return false;
    await untilDue(watch, wait);
    left.any -= wait;
    left.leaving -= wait;
    return true;
  };
}

/** Waits until a timer has fired that is due in so many ms. */
export async function untilDue(watch: Watch, due: number): Promise<void> {
  const end = performance.now() + due + TIMER_DELAY_MS;
  for (let ms = end - performance.now(); ms > 0 && !watch.isLeaving(); ms = end - performance.now())
    await watch.changes(ms);
}

/** The document that a page led to by itself could not be loaded, and the browser shows its own page about that. @throws PageError */
function requireLoaded(watch: Watch, url: string, requests: Requests): void {
  if (!watch.documentUrl().startsWith("chrome-error:")) return;
  throw navigationFailure(watch.navigationError() ?? "net::ERR_FAILED", url, false, requests);
}

/** How long a refresh may be late. The events of one say when it begins, but come apart on a busy machine. */
const LATE_REFRESH_MS = 2_000;

/** Waits for a document that is about to be replaced. @returns whether it was */
async function leaves(watch: Watch, after: AfterLoad): Promise<boolean> {
  const before = watch.loaderId();
  const due = dueRefresh(watch, after);
  const start = performance.now();
  const limits = {
    leaving: start + MAX_REDIRECT_SECONDS * 1_000 + MAX_LOAD_MS,
    staying: due === undefined ? start : start + due * 1_000 + LATE_REFRESH_MS,
  };
  while (watch.loaderId() === before) {
    const left = limits[watch.isLeaving() ? "leaving" : "staying"] - performance.now();
    if (left <= 0) return false;
    await watch.changes(left);
  }
  return true;
}

/** In how many seconds the document leads to another page; undefined when it does not. Its first refresh counts. */
function dueRefresh(watch: Watch, { refreshes, base }: AfterLoad): number | undefined {
  const url = watch.documentUrl();
  const header = watch.response()?.headers.refresh;
  const refresh = [...(header === undefined ? [] : [header]), ...refreshes].find((value) => parseRefresh(value));
  return redirectOf(refresh ?? "", url, (target) => URL.parse(target, base))?.seconds;
}

/** Refuses `about:`, `data:` and `blob:` documents: the browser opens them without a request. @throws PageError */
function requireWeb(watch: Watch, asked: string): void {
  const url = watch.documentUrl();
  if (/^https?:/.test(url)) return;
  throw new PageError("off_site", `${asked} leads to ${url.slice(0, 100)}, which is not a page of a web site.`);
}

/**
 * @param loaderId of the document that was loaded
 * @throws PageError when the page has replaced its document since
 */
export function requireSameDocument(watch: Watch, loaderId: string, asked: string): void {
  if (watch.loaderId() === loaderId) return;
  requireWeb(watch, asked);
  throw new PageError("unreadable", `${asked} replaced its document while it was being read.`);
}

/**
 * What is known about a page that did not finish in time.
 *
 * @param isAwaiting whether a server has been sent a request for this URL and has not responded
 */
export function timedOut(
  watch: Pick<Watch, "received" | "requestedUrl"> | undefined,
  asked: string,
  isAwaiting: (url: string) => boolean,
  timeLimitMs: number,
  over: Over,
): PageError {
  const seconds = timeText(timeLimitMs, over);
  const received = watch?.received() ?? "nothing";
  if (received === "nothing" && isAwaiting(watch?.requestedUrl() || asked))
    return new PageError("timeout", `${asked} did not respond within ${seconds}.`);
  if (received === "nothing") {
    const detail = `${asked} was not loaded within ${seconds}, though its server did not keep the browser waiting.`;
    return new PageError("timeout", detail, { waitedFor: "browser" });
  }
  if (received === "beginning")
    return new PageError("timeout", `${asked} responded, but its response was not complete after ${seconds}.`);
  const detail = `${asked} was received, but the page did not finish within ${seconds}.`;
  return new PageError("timeout", detail, { waitedFor: "page" });
}

/** The limit that has ended a wait, with the reason if that was the machine. */
export function timeText(limitMs: number, over: Over): string {
  const seconds = limitMs / 1_000;
  if (over === "work") return `${seconds} s`;
  return `${seconds * MAX_CLOCK_FACTOR} s by the clock (this machine was too busy to give it ${seconds} s of work)`;
}

/** Lets the main document navigate until `close`, with a limit and a call of `beforeRequest` for each step. */
function guardNavigation(
  { session, mainFrameId, watch, untimed, wayIn, credentials, acts }: LoadContext,
  url: string,
  hooks: LoadHooks,
) {
  const headersOf = headersFor(credentials, url);
  const hops: { from: string; to: string }[] = [];
  let at = url;
  let requests = 0;
  let allows: "load" | "acts" | "nothing" = "load";
  let onlyRead = false;
  const stopped = new Set<string>();
  const refused = new Set<string>();
  const proceed = ({ requestId, request }: Protocol.Fetch.RequestPausedEvent) => {
    const headers = headersOf(request);
    return session.send("Fetch.continueRequest", { requestId, ...(headers && { headers }) });
  };
  const mayBeSent = (event: Protocol.Fetch.RequestPausedEvent) => acts?.maySend(sentRequest(event)) ?? true;
  /** Where the page's document leads by a redirect is judged with it, and what was asked for was judged before. */
  const isStopped = (event: Protocol.Fetch.RequestPausedEvent, isPage: boolean): boolean => {
    const isJudged = isPage && (requests === 0 || event.redirectedRequestId !== undefined);
    if (isJudged || allows === "acts" || mayBeSent(event)) return false;
    stopped.add(named(event));
    return true;
  };
  const isLetIn = async (event: Protocol.Fetch.RequestPausedEvent): Promise<boolean> => {
    const isAllowed = await wayIn.mayPass(event, false).catch(() => false);
    if (!isAllowed && refused.size < MAX_REFUSED) refused.add(named(event));
    return isAllowed;
  };
  const requireAllowed = async (event: Protocol.Fetch.RequestPausedEvent): Promise<void> => {
    const { request, redirectedRequestId } = event;
    requests += 1;
    requireFew(requests, url, allows === "acts");
    if (request.url.length > MAX_URL_LENGTH)
      throw new PageError("invalid_response", `${url} leads to a URL of ${request.url.length} characters.`);
    const before = requests > 1 ? at : undefined;
    const status = redirectedRequestId === undefined ? null : watch.redirectStatus();
    await untimed(() => hooks.beforeRequest(request.url, before, status, request.urlFragment));
    if (before !== undefined && allows !== "acts" && !mayBeSent(event)) throw leadsToAct(url);
    if (before !== undefined) hops.push({ from: before, to: request.url });
    at = request.url;
  };
  const decide = async (event: Protocol.Fetch.RequestPausedEvent) => {
    const { requestId, frameId, request, resourceType } = event;
    const abort = () => session.send("Fetch.failRequest", { requestId, errorReason: "Aborted" });
    const isPage = frameId === mainFrameId && resourceType === "Document";
    const isAhead = acts?.guardsPages && asksForRules(event);
    if ((onlyRead && !onlyReads(event, acts)) || isStopped(event, isPage) || isAhead) return abort();
    if (!isPage) return (await isLetIn(event)) ? proceed(event) : abort();
    // A page that only loads itself again stays what it is.
    const isRefresh =
      allows === "load" &&
      watch.refreshesItself() &&
      withoutFragment(request.url) === withoutFragment(watch.documentUrl());
    if (allows === "nothing" || isRefresh) return abort();
    try {
      await requireAllowed(event);
      if (!(await wayIn.mayPass(event, allows === "acts"))) throw leadsInside(request.url);
    } catch (error) {
      watch.fail(error);
      return session.send("Fetch.failRequest", { requestId, errorReason: "BlockedByClient" });
    }
    return proceed(event);
  };
  const listener = (event: Protocol.Fetch.RequestPausedEvent): void => void decide(event).catch(() => {});
  session.on("Fetch.requestPaused", listener);
  watch.failed.catch(() => session.off("Fetch.requestPaused", listener));
  return {
    /** The URLs that led to this one. What came after it was no document, but a download. */
    ledTo: (document: string): string[] => {
      const last = hops.findLastIndex(({ to }) => withoutFragment(to) === withoutFragment(document));
      return hops.slice(0, last + 1).map(({ from }) => from);
    },
    at: () => at,
    open: () => {
      allows = "acts";
      requests = 0;
    },
    close: () => {
      allows = "nothing";
    },
    onlyRead: () => {
      onlyRead = true;
    },
    stopped: () => [...stopped],
    refused: () => [...refused],
  };
}

/** Of what was not sent so many are named. */
const MAX_REFUSED = 1_000;

function named({ request }: Protocol.Fetch.RequestPausedEvent): string {
  return `${request.method} ${request.url.replace(/[?#].*/s, "")}`;
}

function leadsInside(url: string): PageError {
  const { host } = new URL(url);
  const reason = "it is in a private network or on this machine, and what leads there is not";
  return new PageError("blocked_address", `${host} must not be visited: ${reason}.`);
}

/** @throws PageError when a page leads on without end */
function requireFew(requests: number, url: string, acts: boolean): void {
  if (acts && requests > MAX_ACTED)
    throw new PageError("too_many_redirects", `The steps on ${url} lead on more than ${MAX_ACTED} times.`);
  if (!acts && requests > 1 + MAX_HOPS)
    throw new PageError("too_many_redirects", `${url} redirects more than ${MAX_HOPS} times.`);
}

async function untilLoaded(watch: Watch): Promise<void> {
  const limit = performance.now() + MAX_LOAD_MS;
  while (!watch.isLoaded() && (performance.now() < limit || !watch.isParsed())) await watch.changes(MAX_LOAD_MS);
}

export async function untilNetworkIdle(watch: Watch, maxWait = MAX_IDLE_WAIT_MS): Promise<void> {
  const limit = performance.now() + maxWait;
  for (let left = maxWait; left > 0; left = limit - performance.now()) {
    const busy = !watch.isLoaded() || watch.pending() > 0;
    const changed = await watch.changes(busy ? left : Math.min(left, IDLE_MS));
    if (!changed && !busy) return;
  }
}
