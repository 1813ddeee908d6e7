import type { AddressSpace } from "../domain/addresses/address-space.ts";
import { PageError } from "../domain/failure.ts";
import { OWN_USER_AGENT } from "../domain/headers/user-agent.ts";
import { MAX_URL_LENGTH } from "../settings/values.ts";
import type { AddressPolicy } from "./addresses.ts";
import { ACCEPT_ENCODING, compressions, decompress } from "./decompress.ts";
import { createGuardedAgent, type GuardedAgent, type Route } from "./guarded-agent.ts";
import { isConnectionReset, networkFailure } from "./network-failure.ts";
import { approach, createPins, noWayIn, type Pins } from "./pins.ts";
import { createRedirectCookies } from "./redirect-cookies.ts";
import { type Response, type ResponseHead, request } from "./request.ts";
import { mayShow } from "./tls-trust.ts";
import { proxyFailure, refusedByProxy } from "./upstream-proxy.ts";

export type { ResponseHead } from "./request.ts";

const MAX_REDIRECTS = 5;
/** As browsers have it: https://fetch.spec.whatwg.org/#http-redirect-fetch. */
const MAX_REDIRECTS_OF_BROWSERS = 20;
/** With which sites refuse who does not keep a cookie that they have set. */
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403]);
/** A part of a compressed body cannot always be decompressed, so this much of one that is cut is read. */
const MAX_COMPRESSED_CUT_BYTES = 10_000_000;
/** Total time for a page, including redirects, but without the waits for the rate limit. */
const PAGE_TIMEOUT_MS = 30_000;

/** A redirect by a response with this status; null by the document itself, by a refresh or a script. */
export type Redirect = {
  from: string;
  /** Without fragment. */
  to: string;
  status: number | null;
  /** The fragment that the response names, with its `#`; undefined if it names none: then that of the link is kept. */
  fragment?: string;
};

export type GuardedFetchOptions = {
  /** By default GET. */
  method?: "GET" | "HEAD";
  signal: AbortSignal;
  /** Awaited before every request, including redirects. When it rejects, the fetch rejects with the same error. */
  beforeRequest: (url: string) => Promise<void>;
  /** Called for each redirect before it is followed. */
  onRedirect?: ((hop: Redirect) => void) | undefined;
  /** Maximum size of the response's body in bytes, compressed and decompressed; 0: do not read it. */
  maxBytes: (head: ResponseHead) => number;
  /**
   * What a larger body means: an error (the default), or that it is cut. A compressed one is cut when it is
   * decompressed. It may have MAX_COMPRESSED_CUT_BYTES before and after that.
   */
  tooLarge?: "error" | "cut";
  /** Sent to the first URL's origin only. */
  secretHeaders?: Readonly<Record<string, string>>;
  /** What leads there: a page, and the redirects after it. Empty for what the user asks for (`mayApproach`). */
  from?: readonly string[];
  /** Called when all redirects so far are followed once more, with the cookies that they have set. */
  onRestart?: (() => void) | undefined;
  /** Follows redirects as a browser does, with the cookies that they set and up to its limit. */
  asBrowser?: boolean;
  /** How many redirects are followed; by default MAX_REDIRECTS. */
  maxRedirects?: number;
  /** What is left of a page's time, in ms, when this is not its first response; by default all of it. */
  timeLeft?: number;
};

export type GuardedResponse = ResponseHead & {
  /** The URLs requested before `url`. */
  redirects: string[];
  /** Decompressed; undefined when `maxBytes` returned 0. */
  body: Buffer | undefined;
  /** What is left of the page's time, in ms. */
  timeLeft: number;
};

export type GuardedFetch = {
  /** @throws PageError when there is no usable response */
  get(url: string, options: GuardedFetchOptions): Promise<GuardedResponse>;
  close(): Promise<void>;
};

/**
 * An HTTP client for hostile sites: allowed addresses only, few redirects, limited size and time.
 *
 * @param settings.userAgent the User-Agent of every request; "" for this project's own
 */
export function createGuardedFetch(
  policy: AddressPolicy,
  {
    userAgent = "",
    timeoutMs = PAGE_TIMEOUT_MS,
  }: { userAgent?: string | undefined; timeoutMs?: number | undefined } = {},
): GuardedFetch {
  const pins = createPins(policy);
  const client = { agent: createGuardedAgent(pins.policy), pins, userAgent: userAgent || OWN_USER_AGENT };
  return {
    get: (url, options) => follow(client, url, options, timeoutMs),
    // `destroy` does not wait for pending responses, which nothing needs any more.
    close: () => client.agent.destroy(closedError()),
  };
}

/**
 * The error with which undici closes each socket. Node reads the stack of such an error, and mapping it to the sources
 * takes 40 ms in a bundle (bundle/stack-traces.js), so this error has no stack frames.
 */
function closedError(): Error {
  return Object.assign(new Error("The client is closed."), { stack: "Error: The client is closed." });
}

type Client = { agent: GuardedAgent; pins: Pins; userAgent: string };

/** @returns where hosts are that lead to a request @throws PageError `blocked_address` */
async function spacesOf(pins: Pins, urls: readonly string[]): Promise<AddressSpace[]> {
  // Nobody who cannot be found asks from inside.
  const spaceOf = (url: string) => pins.spaceOf(new URL(url).hostname).catch((): AddressSpace => "public");
  return Promise.all(urls.map(spaceOf));
}

async function follow(
  client: Client,
  first: string,
  options: GuardedFetchOptions,
  timeoutMs: number,
): Promise<GuardedResponse> {
  const cookies = createRedirectCookies(options.asBrowser ?? false);
  const time = { left: options.timeLeft ?? timeoutMs };
  const response = await followOnce(client, first, { ...options, cookies }, time);
  if (!REFUSALS.has(response.status) || !(await cookies.send())) return response;
  options.onRestart?.();
  return followOnce(client, first, { ...options, cookies }, time);
}

type WithCookies = GuardedFetchOptions & { cookies: ReturnType<typeof createRedirectCookies> };

async function followOnce(
  client: Client,
  first: string,
  options: WithCookies,
  time: { left: number },
): Promise<GuardedResponse> {
  const redirects: string[] = [];
  const { cookies, maxRedirects = options.asBrowser ? MAX_REDIRECTS_OF_BROWSERS : MAX_REDIRECTS } = options;
  /** Redirects before the first circle: what is asked for again with cookies has as many as before. */
  let before = 0;
  let url = new URL(first);
  const from = await spacesOf(client.pins, options.from ?? []);
  for (;;) {
    requireHttp(url, redirects.at(-1));
    await options.beforeRequest(url.href);
    const { to, isAllowed } = await approach(client.pins, url, { from }).catch((error) => {
      throw networkFailure(error, url.href);
    });
    if (!isAllowed) throw noWayIn(url, client.pins.policy);
    from.push(to);
    const response = await send(client, url, redirects, options, time);
    const target = redirectTarget(response);
    if (target === undefined) {
      return { ...response, body: await decompressed(response, options), redirects, timeLeft: time.left };
    }
    redirects.push(url.href);
    await cookies.receive(url.href, response.headers["set-cookie"]);
    const asked = url;
    url = resolveTarget(target, url);
    const { hash } = url;
    const fragment = url.href.includes("#") && { fragment: hash || "#" };
    url.hash = "";
    options.onRedirect?.({ from: asked.href, to: url.href, status: response.status, ...fragment });
    const chain = [...redirects, url.href].join(" → ");
    if (redirects.includes(url.href)) {
      if (!(await cookies.areNewTo(url.href)))
        throw new PageError("too_many_redirects", `${first} redirects in a loop: ${chain}.`);
      before ||= redirects.length;
    }
    if (redirects.length - before > maxRedirects)
      throw new PageError("too_many_redirects", `${first} redirects too often: ${chain}.`);
  }
}

async function decompressed(response: Response, options: GuardedFetchOptions): Promise<Buffer | undefined> {
  const { body, url } = response;
  if (!body) return undefined;
  const plain = await decompress(body, contentEncoding(response), url, readBytes(response, options));
  return options.tooLarge === "cut" ? plain.subarray(0, options.maxBytes(response)) : plain;
}

/** How much of a response's body is read, and how long it may be when it is decompressed, in bytes; 0: it is not read. */
function readBytes(head: ResponseHead, { maxBytes, tooLarge }: GuardedFetchOptions): number {
  if (isRedirect(head)) return 0;
  const limit = maxBytes(head);
  return limit > 0 && tooLarge === "cut" && isCompressed(head) ? Math.max(limit, MAX_COMPRESSED_CUT_BYTES) : limit;
}

function isCompressed(head: ResponseHead): boolean {
  return compressions(contentEncoding(head)).length > 0;
}

function contentEncoding({ headers }: ResponseHead): string {
  return String(headers["content-encoding"] ?? "");
}

/** Sends a request, and a second one if the server closes the connection. Takes their time, in ms, from what is left. */
async function send(
  { agent, pins, userAgent }: Client,
  url: URL,
  redirects: readonly string[],
  options: WithCookies,
  time: { left: number },
): Promise<Response> {
  const { method = "GET", signal, beforeRequest, tooLarge, secretHeaders } = options;
  signal.throwIfAborted();
  const sameOrigin = redirects.every((earlier) => new URL(earlier).origin === url.origin);
  const secrets = sameOrigin ? secretHeaders : {};
  const cookie = options.cookies.headerFor(url.href, secrets?.cookie);
  const headers: Record<string, string> = {
    "user-agent": userAgent,
    accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "accept-language": "en,*;q=0.5",
    "accept-encoding": tooLarge === "cut" ? "identity" : ACCEPT_ENCODING,
    ...secrets,
    ...(cookie !== undefined && { cookie }),
  };
  const wanted = {
    method,
    headers,
    signal,
    maxBytes: (head: ResponseHead) => readBytes(head, options),
    cutsBody: (head: ResponseHead) => tooLarge === "cut" && !isCompressed(head),
  };
  const timedRequest = async (): Promise<Response> => {
    const started = performance.now();
    let route: Route | undefined;
    try {
      const led = [...(options.from ?? []), ...redirects].map((one) => new URL(one).hostname);
      route = await agent.routeOf(url, mayShow(pins.policy.tls, led));
      const response = await request(route, url, { ...wanted, budget: time.left });
      if (route.proxy && response.status === 407) throw refusedByProxy(route.proxy, url.href, response.status);
      return response;
    } catch (error) {
      if (route?.proxy && !isConnectionReset(error)) throw proxyFailure(route.proxy, url.href, error as Error);
      throw error;
    } finally {
      time.left -= performance.now() - started;
    }
  };
  try {
    return await timedRequest();
  } catch (error) {
    signal.throwIfAborted();
    if (!isConnectionReset(error)) throw networkFailure(error, url.href);
  }
  await beforeRequest(url.href);
  try {
    return await timedRequest();
  } catch (error) {
    signal.throwIfAborted();
    throw networkFailure(error, url.href);
  }
}

function requireHttp(url: URL, from: string | undefined): void {
  const origin = from === undefined ? "" : `${from} redirects to a URL that is not allowed: `;
  const wrong = (what: string) => new PageError("invalid_response", `${origin}${url.href.slice(0, 200)} ${what}.`);
  if (url.protocol !== "http:" && url.protocol !== "https:") throw wrong("is neither http nor https");
  if (url.username || url.password) throw wrong("contains a user name or password");
  if (url.href.length > MAX_URL_LENGTH) throw wrong(`… is longer than ${MAX_URL_LENGTH} characters`);
}

function isRedirect({ status, headers }: ResponseHead): boolean {
  return [301, 302, 303, 307, 308].includes(status) && headers.location !== undefined;
}

function redirectTarget(response: ResponseHead): string | undefined {
  if (!isRedirect(response)) return undefined;
  const location = response.headers.location;
  const first = Array.isArray(location) ? location[0] : location;
  // Header bytes are decoded as Latin-1, but servers that do not escape a URL send UTF-8.
  return Buffer.from(first ?? "", "latin1").toString("utf8");
}

function resolveTarget(target: string, from: URL): URL {
  if (!URL.canParse(target, from.href))
    throw new PageError(
      "invalid_response",
      `${from.href} redirects to ${JSON.stringify(target.slice(0, 200))}, which is not a valid URL.`,
    );
  return new URL(target, from);
}
