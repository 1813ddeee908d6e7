import type { CDPSession, Protocol } from "puppeteer-core";
import { PageError } from "../domain/failure.ts";
import { navigationFailure } from "./navigation-failure.ts";

/** The main document's answer. */
export type PageResponse = {
  url: string;
  status: number;
  /** Without parameters, in lower case. */
  mimeType: string;
  headers: Record<string, string>;
};

export type LoadHooks = {
  /** Awaited before every request of the main document but the first: redirects and the page's own navigations. Throws to refuse it. */
  beforeHop(url: string, from: string): Promise<void>;
  /** Judges the answer before the page is waited for. Throws to end the visit. */
  judge(response: PageResponse): void;
};

export type Loader = {
  /**
   * Loads a page and waits until it rests: the load event, then no request under way.
   * From then on it cannot go elsewhere.
   *
   * @returns the document that is shown, and the URLs that led to it
   */
  load(url: string, hooks: LoadHooks): Promise<{ response: PageResponse; redirectedFrom: string[] }>;
  source(): Promise<string>;
  /** Ends a load that is under way: the tab is gone. */
  stop(): void;
};

/** Redirects and navigations of the page's own, together. */
const MAX_HOPS = 5;
const MAX_DOCUMENT_BYTES = 10_000_000;
const MAX_VISIT_BYTES = 100_000_000;
/** A page that is parsed is judged after this time, though some picture may never arrive. */
const LOAD_LIMIT_MS = 15_000;
/** How long a page may go on loading after its load event. */
const REST_LIMIT_MS = 3_000;
/** Scripts may ask for more as soon as they got something. */
const QUIET_MS = 50;
/** Requests that never end, or that nothing on the page waits for. */
const ENDLESS = new Set<string>(["EventSource", "WebSocket", "Media", "Ping", "Manifest", "CSPViolationReport"]);

/** Prepares a fresh tab for its one page. */
export async function createLoader(
  session: CDPSession,
  failureOf: (url: string) => PageError | undefined,
): Promise<Loader> {
  let hooks: LoadHooks | undefined;
  let refusal: unknown;
  let frozen = false;
  let mainFrameId = "";
  let requests = 0;
  let currentUrl = "";
  let loaded = false;
  let parsed = false;
  let received = 0;
  let documentBytes = 0;
  let loaderId = "";
  const redirectedFrom: string[] = [];
  const responses = new Map<string, PageResponse>();
  const pending = new Map<string, string>();
  let changed = Promise.withResolvers<void>();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  const change = (): void => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  const fail = (error: unknown): void => {
    refusal ??= error;
    failed.reject(refusal);
  };

  const onDocumentRequest = async ({ requestId, frameId, request }: Protocol.Fetch.RequestPausedEvent) => {
    if (frameId !== mainFrameId) return session.send("Fetch.continueRequest", { requestId });
    if (frozen) return session.send("Fetch.failRequest", { requestId, errorReason: "Aborted" });
    try {
      requests += 1;
      if (requests > 1 + MAX_HOPS) {
        throw new PageError("too_many_redirects", `The page redirects more than ${MAX_HOPS} times.`);
      }
      if (requests > 1) {
        await hooks?.beforeHop(request.url, currentUrl);
        redirectedFrom.push(currentUrl);
      }
      currentUrl = request.url;
      return session.send("Fetch.continueRequest", { requestId });
    } catch (error) {
      fail(error);
      return session.send("Fetch.failRequest", { requestId, errorReason: "BlockedByClient" });
    }
  };
  session.on("Fetch.requestPaused", (event) => void onDocumentRequest(event).catch(() => {}));

  session.on("Network.requestWillBeSent", ({ requestId, request, type, loaderId: loader }) => {
    if (ENDLESS.has(type ?? "") || request.url.startsWith("data:")) return;
    pending.set(requestId, loader);
    change();
  });
  const settled = ({ requestId }: { requestId: string }): void => {
    if (pending.delete(requestId)) change();
  };
  session.on("Network.loadingFinished", settled);
  session.on("Network.loadingFailed", settled);
  session.on("Network.responseReceived", ({ requestId, frameId, type, loaderId: loader, response }) => {
    if (type === "Document" && frameId === mainFrameId && requestId === loader) {
      responses.set(loader, pageResponse(response));
    }
  });
  session.on("Network.dataReceived", ({ requestId, dataLength }) => {
    received += dataLength;
    if (responses.has(requestId)) documentBytes += dataLength;
    const limit = documentBytes > MAX_DOCUMENT_BYTES ? MAX_DOCUMENT_BYTES : MAX_VISIT_BYTES;
    if (received > MAX_VISIT_BYTES || documentBytes > MAX_DOCUMENT_BYTES) {
      fail(new PageError("too_large", `More than ${limit / 1_000_000} MB were received for the page.`));
    }
  });
  session.on("Page.frameNavigated", ({ frame }) => {
    if (frame.id !== mainFrameId || frame.parentId) return;
    loaderId = frame.loaderId;
    loaded = parsed = false;
    for (const [request, loader] of pending) if (loader !== loaderId) pending.delete(request);
    change();
  });
  session.on("Page.domContentEventFired", () => {
    parsed = true;
    change();
  });
  session.on("Page.loadEventFired", () => {
    loaded = true;
    change();
  });
  // A document whose own navigation came to nothing (a download) has no load event.
  session.on("Page.frameStoppedLoading", ({ frameId }) => {
    if (frameId !== mainFrameId) return;
    loaded = true;
    change();
  });
  const [{ frameTree }] = await Promise.all([
    session.send("Page.getFrameTree"),
    session.send("Network.enable", {
      maxTotalBufferSize: MAX_DOCUMENT_BYTES * 2,
      maxResourceBufferSize: MAX_DOCUMENT_BYTES,
    }),
    session.send("Network.setBypassServiceWorker", { bypass: true }),
    session.send("Fetch.enable", { patterns: [{ resourceType: "Document", requestStage: "Request" }] }),
  ]);
  mainFrameId = frameTree.frame.id;

  /** Waits for a change, at most this long. @returns false when nothing changed */
  const changes = async (ms: number): Promise<boolean> => {
    const timeout = Promise.withResolvers<false>();
    const timer = setTimeout(() => timeout.resolve(false), ms);
    try {
      return await Promise.race([changed.promise.then(() => true), timeout.promise, failed.promise]);
    } finally {
      clearTimeout(timer);
    }
  };
  const isBusy = (): boolean => !loaded || pending.size > 0;
  const untilLoaded = async (): Promise<void> => {
    const limit = performance.now() + LOAD_LIMIT_MS;
    // Past the limit a page is judged as it is, once it has been parsed.
    while (!loaded && (performance.now() < limit || !parsed)) await changes(LOAD_LIMIT_MS);
  };
  const untilQuiet = async (): Promise<void> => {
    const limit = performance.now() + REST_LIMIT_MS;
    for (let left = REST_LIMIT_MS; left > 0; left = limit - performance.now()) {
      const busy = isBusy();
      const changed = await changes(busy ? left : Math.min(left, QUIET_MS));
      if (!changed && !busy) return;
    }
  };

  return {
    load: async (url, given) => {
      hooks = given;
      currentUrl = url;
      const answer = session.send("Page.navigate", { url });
      answer.catch(() => {});
      const { errorText, isDownload } = await Promise.race([answer, failed.promise]);
      if (refusal) throw refusal;
      if (errorText) throw navigationFailure(errorText, currentUrl, isDownload ?? false, failureOf(currentUrl));
      const judged = new Set<string>();
      const judge = (): PageResponse => {
        const response = responses.get(loaderId) ?? responses.get([...responses.keys()].at(-1) ?? "");
        if (!response) throw new PageError("invalid_response", `${currentUrl} gave no document.`);
        // The proxy answers for servers that it could not reach.
        const failure = response.status >= 400 ? failureOf(response.url) : undefined;
        if (failure) throw failure;
        if (!judged.has(loaderId)) given.judge(response);
        judged.add(loaderId);
        return response;
      };
      judge();
      await untilLoaded();
      await untilQuiet();
      frozen = true;
      return { response: judge(), redirectedFrom };
    },
    stop: () => fail(new Error("The tab was closed.")),
    source: async () => {
      const { body, base64Encoded } = await session.send("Network.getResponseBody", { requestId: loaderId });
      return base64Encoded ? Buffer.from(body, "base64").toString("utf8") : body;
    },
  };
}

/** True for what a browser shows as a page with a DOM that is the author's. */
export function isHtml({ mimeType }: PageResponse): boolean {
  return mimeType === "text/html" || mimeType === "application/xhtml+xml";
}

function pageResponse(response: Protocol.Network.Response): PageResponse {
  return {
    url: response.url,
    status: response.status,
    mimeType: (response.mimeType.split(";")[0] ?? "").trim().toLowerCase(),
    headers: Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name.toLowerCase(), value])),
  };
}
