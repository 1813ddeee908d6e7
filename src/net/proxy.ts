import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { PageError } from "../domain/failure.ts";
import { type AddressPolicy, isAllowedAddress } from "./addresses.ts";
import { blockedAddress, guardedLookup, ipLiteral } from "./guarded-lookup.ts";
import { networkFailure } from "./network-failure.ts";

/** A running forward proxy. */
export type FilteringProxy = {
  port: number;
  /** Why the last request to this URL could not be made, if it could not. */
  failureOf(url: string): PageError | undefined;
  close(): Promise<void>;
};

const CONNECT_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 30_000;
const MAX_RESPONSE_BYTES = 50 * 1024 * 1024;
const MAX_TUNNEL_BYTES = 200 * 1024 * 1024;
const MAX_CONNECTIONS = 512;
const MAX_FAILURES = 1000;
/** Headers about the connection to the proxy, not about the request. */
const HOP_BY_HOP = new Set(["connection", "proxy-connection", "keep-alive", "proxy-authorization", "te", "upgrade"]);

/**
 * An HTTP proxy for the browser that reaches allowed addresses only: the name is
 * resolved here, and the very address dialled is judged. Everything that a page can do
 * (scripts, workers, WebSockets, frames) comes through here, as the browser has no
 * other way out. It listens on loopback and asks for no password: it gives local users
 * nothing that they have not anyway.
 */
export async function startProxy(policy: AddressPolicy): Promise<FilteringProxy> {
  const failures = new Map<string, PageError>();
  const agent = new Agent({ keepAlive: true, maxSockets: 32, timeout: IDLE_TIMEOUT_MS });
  const sockets = new Set<Duplex>();
  const server = createServer({ maxHeaderSize: 64 * 1024, keepAliveTimeout: IDLE_TIMEOUT_MS });
  server.maxConnections = MAX_CONNECTIONS;
  const lookup = guardedLookup(policy);
  const own = () => (server.address() as AddressInfo).port;

  const keep = (socket: Duplex): void => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  };
  const failed = (target: string, error: PageError): void => {
    failures.delete(target);
    failures.set(target, error);
    const oldest = failures.keys().next();
    if (failures.size > MAX_FAILURES && !oldest.done) failures.delete(oldest.value);
  };
  const refusal = (host: string): PageError | undefined => {
    const literal = ipLiteral(host);
    if (literal && !isAllowedAddress(literal, policy)) {
      return blockedAddress(literal, literal);
    }
    return undefined;
  };

  /** Judged once more when connected: nothing else may have chosen the address. */
  const guard = (socket: Socket, target: string): void => {
    if (!socket.connecting) return;
    const timer = setTimeout(
      () => socket.destroy(new PageError("timeout", `${target} did not accept a connection.`)),
      CONNECT_TIMEOUT_MS,
    );
    socket.once("close", () => clearTimeout(timer));
    socket.once("connect", () => {
      clearTimeout(timer);
      const address = socket.remoteAddress ?? "";
      const isOwn = socket.remotePort === own() && /(^|:)127\./.test(address);
      if (!isOwn && isAllowedAddress(address, policy)) return;
      socket.destroy(blockedAddress(target, address));
    });
  };

  server.on("connection", keep);
  server.on("request", (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const url = absoluteUrl(incoming.url);
    if (!url) return answer(outgoing, 400);
    const port = Number(url.port || 80);
    const target = `${url.hostname}:${port}`;
    const refused = refusal(url.hostname);
    if (refused) {
      failed(url.href, refused);
      return answer(outgoing, 403);
    }
    const upstream = request({
      agent,
      lookup,
      host: ipLiteral(url.hostname) ?? url.hostname,
      port,
      method: incoming.method,
      path: url.pathname + url.search,
      headers: { ...forwarded(incoming.headers), host: url.host },
      maxHeaderSize: 64 * 1024,
      // Servers are less strict than the standard, and so are browsers.
      insecureHTTPParser: true,
      timeout: IDLE_TIMEOUT_MS,
    });
    upstream.once("socket", (socket) => guard(socket, target));
    upstream.once("timeout", () => upstream.destroy(new PageError("timeout", `${target} did not answer.`)));
    upstream.once("error", (error) => {
      failed(url.href, networkFailure(error, url.href));
      if (outgoing.headersSent) outgoing.destroy();
      else answer(outgoing, 502);
    });
    upstream.once("response", (response) => {
      failures.delete(url.href);
      relay(response, outgoing);
    });
    outgoing.once("close", () => upstream.destroy());
    incoming.pipe(upstream);
  });
  server.on("connect", (incoming: IncomingMessage, client: Duplex, head: Buffer) => {
    const [, host, portText] = /^(\[[0-9a-f:.]+\]|[^:/@]+):(\d{1,5})$/i.exec(incoming.url ?? "") ?? [];
    const port = Number(portText);
    client.on("error", () => {});
    if (!host || port < 1 || port > 65_535) return void client.end("HTTP/1.1 400 Bad Request\r\n\r\n");
    const target = `${host}:${port}`;
    const refused = refusal(host);
    if (refused) {
      failed(target, refused);
      return void client.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    }
    const upstream = connect({ host: ipLiteral(host) ?? host, port, lookup, autoSelectFamily: true });
    keep(upstream);
    guard(upstream, target);
    let established = false;
    upstream.once("error", (error) => {
      if (established) return void client.destroy();
      failed(target, networkFailure(error, target));
      client.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
    });
    upstream.once("connect", () => {
      if (upstream.destroyed) return;
      established = true;
      failures.delete(target);
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      upstream.write(head);
      tunnel(client, upstream);
      tunnel(upstream, client);
    });
    client.once("close", () => upstream.destroy());
  });
  server.on("clientError", (_error, socket) => socket.destroy());

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    port: own(),
    failureOf: (url) => {
      const { href, hash, hostname, port, protocol } = new URL(url);
      // Of https no more is seen than the server's name.
      return failures.get(
        protocol === "https:" ? `${hostname}:${port || 443}` : href.slice(0, href.length - hash.length),
      );
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      agent.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function absoluteUrl(text: string | undefined): URL | undefined {
  const url = text?.startsWith("http://") && URL.canParse(text) ? new URL(text) : undefined;
  return url && !url.username && !url.password ? url : undefined;
}

function forwarded(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name)));
}

function relay(response: IncomingMessage, outgoing: ServerResponse): void {
  const headers: Record<string, string[]> = {};
  for (let index = 0; index + 1 < response.rawHeaders.length; index += 2) {
    const name = response.rawHeaders[index] ?? "";
    if (HOP_BY_HOP.has(name.toLowerCase()) || name.toLowerCase() === "transfer-encoding") continue;
    headers[name] = [...(headers[name] ?? []), response.rawHeaders[index + 1] ?? ""];
  }
  try {
    outgoing.writeHead(response.statusCode ?? 502, headers);
  } catch {
    // A header that may not be sent on.
    response.destroy();
    answer(outgoing, 502);
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

function answer(outgoing: ServerResponse, status: number): void {
  outgoing.writeHead(status, { "content-length": "0", connection: "close" }).end();
}

function tunnel(from: Duplex, to: Duplex): void {
  let size = 0;
  from.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > MAX_TUNNEL_BYTES) from.destroy();
  });
  from.once("close", () => to.destroy());
  from.pipe(to);
}
