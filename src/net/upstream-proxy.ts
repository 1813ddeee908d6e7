import { request, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import ipaddr from "ipaddr.js";
import { UsageError } from "../domain/errors.ts";
import { PageError } from "../domain/failure.ts";
import { isInside, type ProxyFor, parseNetworks, type UpstreamProxy } from "./addresses.ts";
import { ipLiteral } from "./guarded-lookup.ts";

/** What an operator says of proxies, as the environment has it (HTTP_PROXY, HTTPS_PROXY, NO_PROXY). */
export type ProxySettings = {
  httpProxy?: string | undefined;
  httpsProxy?: string | undefined;
  noProxy?: readonly string[] | undefined;
};

const TIMEOUT_MS = 10_000;

/** @returns undefined when there is no proxy @throws UsageError that does not repeat what may have a password */
export function upstreamProxies({ httpProxy, httpsProxy, noProxy = [] }: ProxySettings): ProxyFor | undefined {
  if (httpProxy === undefined && httpsProxy === undefined) return undefined;
  const proxies: Record<string, UpstreamProxy | undefined> = {
    "http:": httpProxy === undefined ? undefined : readProxy("HTTP_PROXY", httpProxy),
    "https:": httpsProxy === undefined ? undefined : readProxy("HTTPS_PROXY", httpsProxy),
  };
  const exceptions = noProxy.map(readException);
  return (url) => (exceptions.some((covers) => covers(url)) ? undefined : proxies[url.protocol]);
}

/** @throws UsageError that does not repeat the value */
export function readProxy(variable: string, text: string): UpstreamProxy {
  const url = URL.parse(text);
  const credentials = url && decoded(`${url.username}:${url.password}`);
  if (url?.protocol !== "http:" || url.hostname === "" || url.pathname !== "/" || url.search !== "" || !credentials)
    throw new UsageError(
      `${variable} must be the URL of an HTTP proxy, such as http://proxy.example.com:3128 or http://user:password@proxy.example.com:3128. Write a % in the user or the password as %25.`,
    );
  const port = Number(url.port) || 80;
  return {
    host: ipLiteral(url.hostname) ?? url.hostname,
    port,
    name: `${url.hostname}:${port}`,
    authorization: credentials === ":" ? undefined : `Basic ${Buffer.from(credentials).toString("base64")}`,
  };
}

/** @returns undefined for a `%` that begins no encoded byte, or bytes that are no UTF-8 */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * An entry of NO_PROXY: `*`, a domain with all below it, an address or a network; each may have a port.
 *
 * @returns whether it is about a URL @throws Error for what begins like a network and is none
 */
export function readException(entry: string): (url: URL) => boolean {
  if (entry === "*") return () => true;
  if (entry.includes("/")) {
    const networks = parseNetworks([entry]);
    return ({ hostname }) => {
      const literal = ipLiteral(hostname);
      return literal !== undefined && isInside(literal, networks);
    };
  }
  const [, name = "", port = ""] = /^(\[.*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
  const domain = name.replace(/^\*?\./, "").replace(/^\[(.*)\]$/, "$1");
  return (url) => {
    const host = (ipLiteral(url.hostname) ?? url.hostname).replace(/\.$/, "");
    const isHost = ipaddr.isValid(domain)
      ? ipaddr.isValid(host) && ipaddr.parse(host).toString() === ipaddr.parse(domain).toString()
      : host === domain || host.endsWith(`.${domain}`);
    return isHost && (port === "" || portOf(url) === Number(port));
  };
}

/** The port of a URL of http or https. */
export function portOf({ protocol, port }: URL): number {
  return Number(port) || (protocol === "https:" ? 443 : 80);
}

/** The headers that a proxy wants of each request. */
export function proxyHeaders({ authorization }: UpstreamProxy): Record<string, string> {
  return authorization === undefined ? {} : { "proxy-authorization": authorization };
}

/**
 * A connection to a server through a proxy (CONNECT).
 *
 * @param target host and port
 * @throws PageError that says what the proxy did
 */
export function openTunnel(proxy: UpstreamProxy, target: string, timeoutMs = TIMEOUT_MS): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const asked = request({
    host: proxy.host,
    port: proxy.port,
    method: "CONNECT",
    path: target,
    headers: { host: target, ...proxyHeaders(proxy) },
    agent: false,
  });
  const late = setTimeout(
    () => asked.destroy(new PageError("timeout", `${target}: ${named(proxy)} did not respond in time.`)),
    timeoutMs,
  );
  asked.once("connect", (response, socket: Socket, head) => {
    const { statusCode = 0 } = response;
    if (statusCode < 200 || statusCode > 299) {
      socket.destroy();
      reject(refusedByProxy(proxy, target, statusCode));
      return;
    }
    // Whoever uses the connection listens, too; until then an error must not end this process.
    socket.on("error", () => {});
    if (head.length > 0) socket.unshift(head);
    resolve(socket);
  });
  asked.once("response", (response) => {
    asked.destroy();
    reject(refusedByProxy(proxy, target, response.statusCode ?? 0));
  });
  asked.once("error", (error) => reject(proxyFailure(proxy, target, error)));
  asked.end();
  return promise.finally(() => clearTimeout(late));
}

/** What to say when a proxy cannot be used. */
export function proxyFailure(proxy: UpstreamProxy, target: string, error: Error): PageError {
  if (error instanceof PageError) return error;
  const { code = error.message } = error as NodeJS.ErrnoException;
  return new PageError("unreachable", `${target} could not be reached: ${named(proxy)} cannot be used (${code}).`, {
    cause: error,
  });
}

/** What to say when a proxy refuses. Its own words are not repeated. */
export function refusedByProxy(proxy: UpstreamProxy, target: string, status: number): PageError {
  const answer = [status, STATUS_CODES[status]].filter(Boolean).join(" ");
  const remedy = status === 407 ? " Give it a user and a password: http://user:password@host:port." : "";
  return new PageError(
    "unreachable",
    `${target} could not be reached: ${named(proxy)} responded with ${answer}.${remedy}`,
  );
}

function named({ name }: UpstreamProxy): string {
  return `the proxy ${name} (HTTP_PROXY, HTTPS_PROXY)`;
}
