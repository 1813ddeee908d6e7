import type { CDPSession, Protocol } from "puppeteer-core";
import { type BasicAuth, belongsTo } from "../domain/basic-auth.ts";
import { PageError } from "../domain/failure.ts";
import { navigationFailure } from "./navigation-failure.ts";
import type { PageResponse, Watch } from "./watch.ts";

export type LoadHooks = {
  /** Awaited before every request of the main document but the first: redirects and the page's own navigations. Throws to refuse it. */
  beforeHop(url: string, from: string): Promise<void>;
  /** Judges the answer before the page is waited for. Throws to end the visit. */
  judge(response: PageResponse): void;
};

/** The document that is shown, and the URLs that led to it. */
export type Loaded = { response: PageResponse; redirectedFrom: string[] };

type Surroundings = {
  session: CDPSession;
  mainFrameId: string;
  watch: Watch;
  /** What the proxy knows of a URL that could not be had. */
  failureOf: (url: string) => PageError | undefined;
  basicAuth?: BasicAuth | undefined;
};

/** Redirects and navigations of the page's own, together. */
const MAX_HOPS = 5;
/** A page that is parsed is judged after this time, though some picture may never arrive. */
const LOAD_LIMIT_MS = 15_000;
/** How long a page may go on loading after its load event. */
const REST_LIMIT_MS = 3_000;
/** Scripts may ask for more as soon as they got something. */
const QUIET_MS = 50;

/**
 * Loads a page and waits until it rests: the load event, then no request under way.
 * From then on it cannot go elsewhere.
 */
export async function load(surroundings: Surroundings, url: string, hooks: LoadHooks): Promise<Loaded> {
  const { session, watch, failureOf } = surroundings;
  const way = guardWay(surroundings, url, hooks);
  if (surroundings.basicAuth) answerChallenges(surroundings, surroundings.basicAuth, url);
  const answer = session.send("Page.navigate", { url });
  answer.catch(() => {});
  const { errorText, isDownload } = await Promise.race([answer, watch.failed]);
  if (watch.reason()) throw watch.reason();
  if (errorText) throw navigationFailure(errorText, way.at(), isDownload ?? false, failureOf(way.at()));
  const judge = (): PageResponse => {
    const response = watch.response();
    if (!response) throw new PageError("invalid_response", `${way.at()} gave no document.`);
    // The proxy answers for servers that it could not reach.
    const failure = response.status >= 400 ? failureOf(response.url) : undefined;
    if (failure) throw failure;
    hooks.judge(response);
    return response;
  };
  judge();
  await untilLoaded(watch);
  if (watch.pending() > 0 || (await hasScripts(session))) await untilQuiet(watch);
  way.close();
  return { response: judge(), redirectedFrom: way.from };
}

/** Lets the main document through while it may still move, counting and asking at each step. */
function guardWay({ session, mainFrameId, watch }: Surroundings, url: string, hooks: LoadHooks) {
  const from: string[] = [];
  let at = url;
  let requests = 0;
  let closed = false;
  const decide = async ({ requestId, frameId, request }: Protocol.Fetch.RequestPausedEvent) => {
    if (frameId !== mainFrameId) return session.send("Fetch.continueRequest", { requestId });
    if (closed) return session.send("Fetch.failRequest", { requestId, errorReason: "Aborted" });
    try {
      requests += 1;
      if (requests > 1 + MAX_HOPS) {
        throw new PageError("too_many_redirects", `${url} redirects more than ${MAX_HOPS} times.`);
      }
      if (requests > 1) {
        await hooks.beforeHop(request.url, at);
        from.push(at);
      }
      at = request.url;
      return session.send("Fetch.continueRequest", { requestId });
    } catch (error) {
      watch.fail(error);
      return session.send("Fetch.failRequest", { requestId, errorReason: "BlockedByClient" });
    }
  };
  const listener = (event: Protocol.Fetch.RequestPausedEvent): void => void decide(event).catch(() => {});
  session.on("Fetch.requestPaused", listener);
  watch.failed.catch(() => session.off("Fetch.requestPaused", listener));
  return {
    from,
    at: () => at,
    close: () => {
      closed = true;
    },
  };
}

/**
 * Gives the credentials to their own host, on the origin asked for, once a request:
 * asked again, they were wrong, and the server's 401 is the answer.
 */
function answerChallenges({ session, watch }: Surroundings, auth: BasicAuth, asked: string): void {
  const origin = URL.parse(asked)?.origin;
  const answered = new Set<string>();
  const listener = ({ requestId, request, authChallenge }: Protocol.Fetch.AuthRequiredEvent): void => {
    const ours =
      authChallenge.source !== "Proxy" &&
      authChallenge.scheme.toLowerCase() === "basic" &&
      URL.parse(authChallenge.origin)?.origin === origin &&
      URL.parse(request.url)?.origin === origin &&
      belongsTo(auth, request.url) &&
      !answered.has(requestId);
    answered.add(requestId);
    const { username, password } = auth;
    const authChallengeResponse = ours
      ? ({ response: "ProvideCredentials", username, password } as const)
      : ({ response: "CancelAuth" } as const);
    session.send("Fetch.continueWithAuth", { requestId, authChallengeResponse }).catch(() => {});
  };
  session.on("Fetch.authRequired", listener);
  watch.failed.catch(() => session.off("Fetch.authRequired", listener));
}

async function untilLoaded(watch: Watch): Promise<void> {
  const limit = performance.now() + LOAD_LIMIT_MS;
  while (!watch.isLoaded() && (performance.now() < limit || !watch.isParsed())) await watch.changes(LOAD_LIMIT_MS);
}

async function untilQuiet(watch: Watch): Promise<void> {
  const limit = performance.now() + REST_LIMIT_MS;
  for (let left = REST_LIMIT_MS; left > 0; left = limit - performance.now()) {
    const busy = !watch.isLoaded() || watch.pending() > 0;
    const changed = await watch.changes(busy ? left : Math.min(left, QUIET_MS));
    if (!changed && !busy) return;
  }
}

/** Without scripts nothing can follow the load event. A page that lies here is judged early, no more. */
async function hasScripts(session: CDPSession): Promise<boolean> {
  const { result } = await session.send("Runtime.evaluate", {
    expression: "document.scripts.length > 0 || window.length > 0 || document.body?.onload != null",
    returnByValue: true,
  });
  return result.value !== false;
}
