import { type Agent, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from "node:http";
import { PageError } from "../../domain/failure.ts";
import type { UpstreamProxy } from "../addresses.ts";
import { ipLiteral } from "../guarded-lookup.ts";
import { isConnectionReset, networkFailure } from "../network-failure.ts";
import { noWayIn } from "../pins.ts";
import type { OwnPass } from "../proxy-pass.ts";
import { portOf, proxyFailure, proxyHeaders, refusedByProxy } from "../upstream-proxy.ts";
import type { Outcomes } from "./outcomes.ts";
import { isLetIn, type Reach } from "./reach.ts";

const MAX_RESPONSE_BYTES = 50 * 1024 * 1024;
export const CHALLENGE = { "proxy-authenticate": 'Basic realm="site-validator"' };
/** Headers about the connection to the proxy. They are not forwarded. */
const HOP_BY_HOP = new Set(["connection", "proxy-connection", "keep-alive", "proxy-authorization", "te", "upgrade"]);

type Deps = {
  reach: Reach;
  outcomes: Outcomes;
  passOf: (incoming: IncomingMessage) => OwnPass | undefined;
  /** For the proxy behind this one, because connections to it are not checked. */
  toProxy: Agent;
  /** How long a server may be silent, in ms. */
  timeout: number;
};

/** Handles requests of clients without TLS: each is judged, and forwarded to where it may go. */
export function requestHandler(deps: Deps): (incoming: IncomingMessage, outgoing: ServerResponse) => void {
  const { reach, outcomes, passOf } = deps;
  /** Whether it may go there. @returns the proxy behind this one, if it leads there @throws PageError */
  async function judge(pass: OwnPass, incoming: IncomingMessage, url: URL): Promise<UpstreamProxy | undefined> {
    // Browsers write this header themselves, for this machine at least. It tells of all redirects on the way, too.
    const isOwn = incoming.headers["sec-fetch-site"] === "same-origin";
    const from = isOwn || pass.hasPermit(incoming.method, url.href) ? [] : [pass.heard()];
    if (!(await isLetIn(pass, url, from))) throw noWayIn(url, pass.policy);
    return reach.gate(url);
  }
  return (incoming, outgoing) => {
    const pass = passOf(incoming);
    if (!pass) return respond(outgoing, 407, CHALLENGE);
    const url = absoluteUrl(incoming.url);
    if (!url) return respond(outgoing, 400);
    const refused = reach.blockedLiteral(url.hostname);
    if (refused) {
      outcomes.record(url.href, refused);
      return respond(outgoing, 403);
    }
    outcomes.touch(url.href);
    outcomes.awaits(outgoing, url.href);
    if (!pass.budget().take(url.hostname, incoming.method ?? "")) return respond(outgoing, 429);
    judge(pass, incoming, url).then(
      (proxy) => void (outgoing.destroyed || forward(deps, { pass, incoming, outgoing, url, proxy })),
      (error) => {
        outcomes.record(url.href, networkFailure(error, url.href));
        respond(outgoing, 403);
      },
    );
  };
}

/** A request that was judged. */
type Judged = {
  pass: OwnPass;
  incoming: IncomingMessage;
  outgoing: ServerResponse;
  url: URL;
  proxy: UpstreamProxy | undefined;
};

/** @param isRepeated it is sent once more, on a connection of its own */
function forward(deps: Deps, judged: Judged, isRepeated = false): void {
  const { pass, incoming, outgoing, url, proxy } = judged;
  const { reach, outcomes, toProxy, timeout } = deps;
  const port = portOf(url);
  const target = `${url.hostname}:${port}`;
  const path = url.pathname + url.search;
  const where = proxy
    ? { agent: toProxy, host: proxy.host, port: proxy.port, path: url.origin + path }
    : { agent: pass.agent, lookup: pass.lookup, host: ipLiteral(url.hostname) ?? url.hostname, port, path };
  const upstream = request({
    ...where,
    ...(isRepeated && { agent: false }),
    method: incoming.method,
    headers: { ...forwarded(incoming.headers), host: url.host, ...(proxy && proxyHeaders(proxy)) },
    maxHeaderSize: 64 * 1024,
    // Many servers violate the standard, and browsers accept that.
    insecureHTTPParser: true,
    timeout,
  });
  if (!proxy) upstream.once("socket", (socket) => reach.verifyAddress(socket, url.hostname, target));
  upstream.once("timeout", () => upstream.destroy(new PageError("timeout", `${target} did not respond in time.`)));
  upstream.once("error", (error) => {
    // The browser has left, which says nothing about the server.
    if (outgoing.destroyed) return;
    // A server may close an idle connection just when it is used again (RFC 9110, 9.2.2).
    const wasIdle = upstream.reusedSocket && isConnectionReset(error) && !outgoing.headersSent;
    if (wasIdle && !isRepeated && hasNoBody(incoming)) return forward(deps, judged, true);
    outcomes.record(url.href, proxy ? proxyFailure(proxy, url.href, error) : networkFailure(error, url.href));
    if (outgoing.headersSent) outgoing.destroy();
    else respond(outgoing, 502);
  });
  upstream.once("response", (response) => {
    // The browser would take it for an answer of this proxy.
    if (response.statusCode === 407)
      return void upstream.destroy(
        proxy
          ? refusedByProxy(proxy, url.href, 407)
          : new PageError("invalid_response", `${url.href} responded with 407, which only proxies may.`),
      );
    outcomes.record(url.href);
    outcomes.responded(outgoing);
    relay(response, outgoing);
  });
  outgoing.once("close", () => upstream.destroy());
  // Not before: what arrives is lost if nobody else reads it.
  const budget = pass.budget();
  incoming.on("data", (chunk: Buffer) => {
    if (!budget.send(url.hostname, chunk.length)) outgoing.destroy();
  });
  incoming.pipe(upstream);
}

/** Whether a request may be sent once more, as it was. */
function hasNoBody({ method, headers }: IncomingMessage): boolean {
  const isSafe = method === "GET" || method === "HEAD";
  return isSafe && headers["content-length"] === undefined && headers["transfer-encoding"] === undefined;
}

function absoluteUrl(text: string | undefined): URL | undefined {
  const url = text?.startsWith("http://") && URL.canParse(text) ? new URL(text) : undefined;
  return url && !url.username && !url.password ? url : undefined;
}

function forwarded(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name)));
}

/** Names and values in turn, as in `rawHeaders`. Not an object: the site chooses the names, and `constructor` may be one. */
function relayedHeaders(rawHeaders: readonly string[]): string[] {
  const relayed: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = "", value = ""] = rawHeaders.slice(index, index + 2);
    if (HOP_BY_HOP.has(name.toLowerCase()) || name.toLowerCase() === "transfer-encoding") continue;
    relayed.push(name, value);
  }
  return relayed;
}

function relay(response: IncomingMessage, outgoing: ServerResponse): void {
  try {
    outgoing.writeHead(response.statusCode ?? 502, relayedHeaders(response.rawHeaders));
  } catch {
    // Node rejects invalid headers.
    response.destroy();
    respond(outgoing, 502);
    return;
  }
  let size = 0;
  response.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > MAX_RESPONSE_BYTES) outgoing.destroy();
  });
  response.once("error", () => outgoing.destroy());
  response.once("aborted", () => outgoing.destroy());
  response.pipe(outgoing);
}

function respond(outgoing: ServerResponse, status: number, headers = {}): void {
  outgoing.writeHead(status, { "content-length": "0", connection: "close", ...headers }).end();
}
