import type { CDPSession, Protocol } from "puppeteer-core";
import { belongsTo, type SiteCredentials } from "../domain/headers/site-credentials.ts";
import { cookiesOf, type SiteHeader } from "../domain/headers/site-headers.ts";
import type { BrowserCookie, SignedIn, SiteStorage } from "../domain/sign-in/session.ts";
import type { ProxyPass } from "../net/proxy-pass.ts";
import { storageScript } from "./storage.ts";
import type { Watch } from "./watch.ts";
import { WORLD } from "./world.ts";

/**
 * How a browser sends a site's credentials. They are sent only to their own host, and only if the request has the same
 * origin as the URL of the visit.
 */

type Session = Pick<CDPSession, "send" | "on" | "off">;

/** What the Fetch domain of the DevTools protocol pauses, so that we can add headers and answer challenges. */
export function fetchSettings(
  credentials: SiteCredentials | undefined,
  pausesAll: boolean,
): Protocol.Fetch.EnableRequest {
  const { host } = credentials ?? {};
  // The proxy asks for a password, too.
  const handleAuthRequests = true;
  if (pausesAll) return { patterns: [{ requestStage: "Request" }], handleAuthRequests };
  const schemes = plainHeaders(credentials).length > 0 ? ["http", "https"] : [];
  return {
    patterns: [
      { resourceType: "Document", requestStage: "Request" },
      ...schemes.map((scheme) => ({ urlPattern: `${scheme}://${host}/*`, requestStage: "Request" }) as const),
    ],
    handleAuthRequests,
  };
}

/** Whether a browser gets cookies, which must not go to other ports of their host. */
export function hasCookies(credentials: SiteCredentials | undefined): boolean {
  return cookieHeader(credentials) !== undefined || credentials?.session !== undefined;
}

/** Headers for a paused request; undefined to send it unchanged. Redirects do not get them, but are paused, too. */
export type HeadersOf = (request: Protocol.Network.Request) => Protocol.Fetch.HeaderEntry[] | undefined;

/**
 * Adds the credentials' headers to requests for their own host. Requests of shared workers and WebSockets are not
 * paused, and get none.
 */
export function headersFor(credentials: SiteCredentials | undefined, requestedUrl: string): HeadersOf {
  const own = plainHeaders(credentials);
  if (!credentials || own.length === 0) return () => undefined;
  const names = new Set(own.map(({ name }) => name.toLowerCase()));
  const origin = URL.parse(requestedUrl)?.origin;
  return ({ url, headers }) => {
    if (!belongsTo(credentials, url) || URL.parse(url)?.origin !== origin) return undefined;
    const others = Object.entries(headers).filter(([name]) => !names.has(name.toLowerCase()));
    return [...others.map(([name, value]) => ({ name, value: String(value) })), ...own];
  };
}

/**
 * Sets the credentials' cookies as cookies of the host, which its scripts and responses can read and change. A browser
 * refuses those that the site could not set either, such as `__Host-` ones without TLS.
 *
 * @returns those of the session
 */
export async function setCookies(
  session: Session,
  credentials: SiteCredentials | undefined,
  requestedUrl: string,
): Promise<readonly BrowserCookie[]> {
  const header = cookieHeader(credentials);
  const url = URL.parse(requestedUrl);
  if (!url || !credentials || !belongsTo(credentials, requestedUrl)) return [];
  const ofSession = credentials.session?.cookies(requestedUrl) ?? [];
  const secure = url.protocol === "https:";
  const sourcePort = Number(url.port) || (secure ? 443 : 80);
  for (const { name, value } of header ? cookiesOf(header.value) : [])
    await session.send("Network.setCookie", { name, value, url: `${url.origin}/`, path: "/", secure, sourcePort });
  for (const { domain, expires, ...cookie } of ofSession)
    await session.send("Network.setCookie", {
      ...cookie,
      url: `${url.origin}${cookie.path}`,
      sourcePort,
      ...(domain.startsWith(".") && { domain }),
      ...(expires >= 0 && { expires }),
    });
  return ofSession;
}

/**
 * Gives the scripts of the site what a sign-in has stored for them, before they run.
 *
 * @returns ends that
 */
export async function giveStorage(
  session: Session,
  credentials: SiteCredentials | undefined,
  requestedUrl: string,
): Promise<() => Promise<void>> {
  const storage = credentials?.session?.storage();
  if (!credentials || !storage || !belongsTo(credentials, requestedUrl)) return async () => {};
  const script = { source: storageScript(storage), worldName: WORLD };
  const { identifier } = await session.send("Page.addScriptToEvaluateOnNewDocument", script);
  return async () => {
    await session.send("Page.removeScriptToEvaluateOnNewDocument", { identifier });
  };
}

/** Keeps what a site has renewed during a visit. @param given what it had before @returns what it has now */
export async function keepSession(
  session: Session,
  credentials: SiteCredentials | undefined,
  url: string,
  given: SignedIn,
): Promise<SignedIn> {
  if (!credentials?.session || !belongsTo(credentials, url)) return given;
  const { cookies } = await session.send("Network.getCookies", { urls: [url] });
  const now = { cookies, storage: given.storage && (await readItems(session, given.storage)) };
  credentials.session.keep(url, now, given);
  return now;
}

/** A page that has been replaced by one of another origin has nothing of it. */
async function readItems(session: Session, storage: SiteStorage): Promise<SiteStorage> {
  const read = async (isLocalStorage: boolean) => {
    const storageId = { securityOrigin: storage.origin, isLocalStorage };
    const { entries } = await session.send("DOMStorage.getDOMStorageItems", { storageId });
    return entries as [string, string][];
  };
  const [local, ofTab] = await Promise.all([read(true), read(false)]).catch(() => [storage.local, storage.session]);
  return { ...storage, local, session: ofTab };
}

/** Answers the challenges of the proxy, and lets the browser answer all others for which there are no credentials. */
export function showPass(
  session: Session,
  { username, password }: ProxyPass["credentials"],
  credentials?: Pick<SiteCredentials, "username">,
): void {
  const asked = new Set<string>();
  session.on("Fetch.authRequired", ({ requestId, authChallenge }) => {
    const isProxy = authChallenge.source === "Proxy";
    if (!isProxy && credentials?.username !== undefined) return;
    const isFirst = isProxy && !asked.has(requestId);
    if (isProxy) asked.add(requestId);
    if (asked.size > MAX_ASKED) asked.clear();
    const authChallengeResponse = isFirst
      ? ({ response: "ProvideCredentials", username, password } as const)
      : ({ response: isProxy ? "CancelAuth" : "Default" } as const);
    session.send("Fetch.continueWithAuth", { requestId, authChallengeResponse }).catch(() => {});
  });
}

const MAX_ASKED = 1_000;

/** Answers one challenge per request. After a second one, the credentials are wrong, and the 401 is the response. */
export function handleAuthChallenges(
  session: Session,
  watch: Pick<Watch, "failed">,
  credentials: SiteCredentials | undefined,
  requestedUrl: string,
): void {
  const { username, password = "" } = credentials ?? {};
  if (!credentials || username === undefined) return;
  const origin = URL.parse(requestedUrl)?.origin;
  const challenged = new Set<string>();
  const listener = ({ requestId, request, authChallenge }: Protocol.Fetch.AuthRequiredEvent): void => {
    if (authChallenge.source === "Proxy") return;
    const ours =
      authChallenge.scheme.toLowerCase() === "basic" &&
      URL.parse(authChallenge.origin)?.origin === origin &&
      URL.parse(request.url)?.origin === origin &&
      belongsTo(credentials, request.url) &&
      !challenged.has(requestId);
    challenged.add(requestId);
    const authChallengeResponse = ours
      ? ({ response: "ProvideCredentials", username, password } as const)
      : ({ response: "CancelAuth" } as const);
    session.send("Fetch.continueWithAuth", { requestId, authChallengeResponse }).catch(() => {});
  };
  session.on("Fetch.authRequired", listener);
  watch.failed.catch(() => session.off("Fetch.authRequired", listener));
}

function cookieHeader(credentials: SiteCredentials | undefined): SiteHeader | undefined {
  return credentials?.headers?.find(isCookie);
}

function plainHeaders(credentials: SiteCredentials | undefined): SiteHeader[] {
  return credentials?.headers?.filter((header) => !isCookie(header)) ?? [];
}

function isCookie({ name }: SiteHeader): boolean {
  return name.toLowerCase() === "cookie";
}
