import type { CDPSession, Protocol } from "puppeteer-core";
import { withoutFragment } from "../domain/addresses/without-fragment.ts";
import { PageError } from "../domain/failure.ts";
import { MAX_REDIRECT_SECONDS } from "../domain/page/refresh.ts";
import { within } from "../time/within.ts";

/** The main document's response. */
export type PageResponse = {
  url: string;
  status: number;
  /** Without parameters, in lower case. */
  mimeType: string;
  headers: Record<string, string>;
};

/** Follows what happens in a tab during one visit. */
export type Watch = {
  /** The response of the current document, or else the last one received. */
  response(): PageResponse | undefined;
  /** Identifies the current document. */
  loaderId(): string;
  /** The URL of the last request for a document of the tab; "" before there is one. */
  requestedUrl(): string;
  /** The current document's URL; "" before there is one. */
  documentUrl(): string;
  /** The status of the last redirect of the tab's document; 0 before there is one. */
  redirectStatus(): number;
  /** How much of the current document has arrived. */
  received(): "nothing" | "beginning" | "all";
  /** Chromium's error that cut the current document's body short, if one did. */
  bodyError(): string | undefined;
  /** Chromium's error of the last document that could not be loaded. */
  navigationError(): string | undefined;
  /** The page is about to be replaced: by a script, or by a refresh of few seconds. */
  isLeaving(): boolean;
  /** The page's refresh leads to the page itself, without end. */
  refreshesItself(): boolean;
  /** The load event has fired, or loading has stopped. */
  isLoaded(): boolean;
  /** The document is parsed (DOMContentLoaded). */
  isParsed(): boolean;
  /** Number of requests in progress, without those that the page does not wait for. */
  pending(): number;
  /** Requests in progress for what may change what is there: documents of all frames, scripts and data. By their ids. */
  underWay(): ReadonlyMap<string, UnderWay>;
  /** How many of these there have been. */
  asked(): number;
  /** The tab goes to another document, or to the same one again: it has asked for it, or will in a few seconds. */
  isNavigating(): boolean;
  /** Origins of all documents, including those in frames. */
  origins: ReadonlySet<string>;
  /** The frames whose document's response has a policy that forbids scripts. */
  sandboxed: ReadonlySet<string>;
  /** Waits for a change, at most this long. @returns false without one */
  changes(ms: number): Promise<boolean>;
  /** Ends the visit: `failed` and every wait reject with the first reason. */
  fail(reason: unknown): void;
  failed: Promise<never>;
  /** The first reason passed to `fail`, if any. */
  reason(): unknown;
  /** Stops watching. */
  stop(): void;
};

/** A request in progress; of the tab itself, or for what is in its document. */
export type UnderWay = { url: string; isPage: boolean };

const MAX_DOCUMENT_BYTES = 10_000_000;
const MAX_VISIT_BYTES = 100_000_000;
/** Types of requests that never end, or that the page does not wait for. */
const IGNORED_TYPES = new Set<string>(["EventSource", "WebSocket", "Media", "Ping", "Manifest", "CSPViolationReport"]);

const CHANGING_TYPES = new Set<string>(["Document", "Fetch", "Script", "XHR"]);

/** Lets a tab's session say when a worker begins. What workers ask for is events of sessions of their own. */
export async function attachWorkers(session: CDPSession): Promise<void> {
  await session.send("Target.setAutoAttach", {
    ...{ autoAttach: true, waitForDebuggerOnStart: false, flatten: true },
    filter: [{ type: "worker" }, { exclude: true }],
  });
}

/**
 * Watches a tab from now on; expects the Network and Page domains to be enabled, and its workers to be attached.
 *
 * @param isBounded whether the visit fails when too much is received
 */
export function watchTab(session: CDPSession, mainFrameId: string, isBounded = true): Watch {
  let loaded = false;
  let parsed = false;
  let received = 0;
  let documentReceived = 0;
  let loaderId = "";
  let requestedUrl = "";
  let documentUrl = "";
  let navigationError: string | undefined;
  let redirectStatus = 0;
  let refreshDue = false;
  let refreshesItself = false;
  let leaving = false;
  let navigating = false;
  let reason: unknown;
  const origins = new Set<string>();
  const sandboxed = new Set<string>();
  /** Requests for documents of the tab itself: those of its frames may fail without an effect on the page. */
  const documentRequests = new Set<string>();
  const responses = new Map<string, PageResponse>();
  /** How the bodies of `responses` ended: undefined without an error. */
  const bodies = new Map<string, string | undefined>();
  const pending = new Map<string, string>();
  const underWay = new Map<string, UnderWay>();
  let asked = 0;
  let changed = Promise.withResolvers<void>();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  const listeners: (() => void)[] = [];

  const change = (): void => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  const fail = (why: unknown): void => {
    reason ??= why;
    failed.reject(reason);
  };
  const on: CDPSession["on"] = (name, handler) => {
    listeners.push(() => session.off(name, handler));
    return session.on(name, handler);
  };
  const onRequestEnd = ({ requestId }: { requestId: string }): void => {
    underWay.delete(requestId);
    if (pending.delete(requestId)) change();
  };

  on("Network.requestWillBeSent", ({ requestId, request, type, frameId, loaderId: loader, redirectResponse }) => {
    if (type === "Document" && frameId === mainFrameId) {
      documentRequests.add(requestId);
      requestedUrl = request.url;
      redirectStatus = redirectResponse?.status ?? redirectStatus;
    }
    if (IGNORED_TYPES.has(type ?? "") || request.url.startsWith("data:")) return;
    pending.set(requestId, loader);
    if (CHANGING_TYPES.has(type ?? "")) {
      asked += 1;
      underWay.set(requestId, { url: request.url, isPage: requestId === loader && frameId === mainFrameId });
    }
    change();
  });
  // The script of a worker has come when the worker begins: nothing else says so in the session that asked for it.
  on("Target.attachedToTarget", ({ targetInfo }) => {
    const script = [...pending].find(([id, loader]) => loader === "" && underWay.get(id)?.url === targetInfo.url);
    if (script) onRequestEnd({ requestId: script[0] });
  });
  on("sessionattached", (worker) => {
    worker.on("Network.requestWillBeSent", ({ requestId, request, type }) => {
      // The end of a script of a worker in it is told to nobody.
      if (type !== "Fetch" && type !== "XHR") return;
      asked += 1;
      pending.set(requestId, loaderId);
      underWay.set(requestId, { url: request.url, isPage: false });
      change();
    });
    worker.on("Network.loadingFinished", onRequestEnd);
    worker.on("Network.loadingFailed", onRequestEnd);
    // It may be over.
    worker.send("Network.enable").catch(() => {});
  });
  on("Network.loadingFinished", (event) => {
    if (responses.has(event.requestId)) bodies.set(event.requestId, undefined);
    onRequestEnd(event);
  });
  on("Network.loadingFailed", (event) => {
    if (documentRequests.has(event.requestId)) {
      navigationError = event.errorText;
      leaving = false;
      navigating = false;
    }
    if (responses.has(event.requestId)) bodies.set(event.requestId, event.errorText);
    onRequestEnd(event);
  });
  on("Network.responseReceived", ({ requestId, frameId, type, loaderId: loader, response }) => {
    if (type !== "Document") return;
    const origin = URL.parse(response.url)?.origin;
    if (origin) origins.add(origin);
    const { headers } = pageResponse(response);
    if (frameId !== undefined && forbidsScripts(headers["content-security-policy"] ?? "")) sandboxed.add(frameId);
    else if (frameId !== undefined) sandboxed.delete(frameId);
    if (frameId === mainFrameId && requestId === loader) responses.set(loader, pageResponse(response));
  });
  on("Network.dataReceived", ({ requestId, dataLength }) => {
    received += dataLength;
    if (responses.has(requestId)) documentReceived += dataLength;
    if (!isBounded) return;
    if (documentReceived > MAX_DOCUMENT_BYTES) fail(tooLarge("document", MAX_DOCUMENT_BYTES));
    if (received > MAX_VISIT_BYTES) fail(tooLarge("page with all that it loads", MAX_VISIT_BYTES));
  });
  on("Page.frameNavigated", ({ frame }) => {
    if (frame.id !== mainFrameId) return;
    loaderId = frame.loaderId;
    documentUrl = frame.url;
    leaving = false;
    navigating = false;
    refreshDue = false;
    refreshesItself = false;
    loaded = false;
    parsed = false;
    for (const [request, loader] of pending)
      if (loader !== loaderId) {
        pending.delete(request);
        underWay.delete(request);
      }
    change();
  });
  on("Page.domContentEventFired", () => {
    parsed = true;
    change();
  });
  on("Page.loadEventFired", () => {
    loaded = true;
    change();
  });
  // Deprecated in the protocol, but nothing else says when a refresh is due.
  on("Page.frameScheduledNavigation", ({ frameId, delay, reason: why, url }) => {
    if (frameId !== mainFrameId) return;
    const isSame = withoutFragment(url) === withoutFragment(documentUrl);
    refreshDue = !isSame && delay <= MAX_REDIRECT_SECONDS;
    refreshesItself = isSame && why !== "scriptInitiated";
  });
  on("Page.frameClearedScheduledNavigation", ({ frameId }) => {
    if (frameId === mainFrameId) refreshDue = false;
    change();
  });
  on("Page.frameRequestedNavigation", ({ frameId, url, disposition }) => {
    if (frameId !== mainFrameId || disposition !== "currentTab") return;
    leaving = withoutFragment(url) !== withoutFragment(documentUrl);
    // An address of e-mail leads to no document, and a script's to none that is not asked for besides.
    navigating = /^https?:/i.test(url);
    change();
  });
  // A document that starts a navigation which is cancelled (a download) gets no load event.
  on("Page.frameStoppedLoading", ({ frameId }) => {
    if (frameId !== mainFrameId) return;
    loaded = true;
    leaving = false;
    navigating = false;
    change();
  });

  return {
    response: () => responses.get(loaderId) ?? [...responses.values()].at(-1),
    loaderId: () => loaderId,
    requestedUrl: () => requestedUrl,
    documentUrl: () => documentUrl,
    redirectStatus: () => redirectStatus,
    received: () => (bodies.has(loaderId) ? "all" : responses.has(loaderId) ? "beginning" : "nothing"),
    bodyError: () => bodies.get(loaderId),
    navigationError: () => navigationError,
    refreshesItself: () => refreshesItself,
    isLeaving: () => leaving || refreshDue,
    isLoaded: () => loaded,
    isParsed: () => parsed,
    pending: () => pending.size,
    underWay: () => underWay,
    asked: () => asked,
    isNavigating: () => navigating || refreshDue,
    origins,
    sandboxed,
    changes: (ms) => within(ms, Promise.race([changed.promise.then(() => true), failed.promise]), false),
    fail,
    failed: failed.promise,
    reason: () => reason,
    stop: () => {
      for (const forget of listeners) forget();
      fail(new Error("The visit is over."));
    },
  };
}

/** Whether one of these policies is a sandbox without `allow-scripts`: then no engine can run in the document. */
export function forbidsScripts(policies: string): boolean {
  return policies.split(/[,\n]/).some((policy) => {
    const sandbox = policy.split(";").find((directive) => /^\s*sandbox(\s|$)/i.test(directive));
    return sandbox !== undefined && !/\sallow-scripts(\s|$)/i.test(sandbox);
  });
}

/** True for HTML and XHTML. For other types the DOM is one that the browser makes up. */
export function isHtml({ mimeType }: PageResponse): boolean {
  return mimeType === "text/html" || mimeType === "application/xhtml+xml";
}

function tooLarge(what: string, limit: number): PageError {
  return new PageError("too_large", `The ${what} is larger than ${limit / 1_000_000} MB.`);
}

function pageResponse(response: Protocol.Network.Response): PageResponse {
  return {
    url: response.url,
    status: response.status,
    mimeType: (response.mimeType.split(";")[0] ?? "").trim().toLowerCase(),
    headers: Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name.toLowerCase(), value])),
  };
}
