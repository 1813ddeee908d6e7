import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { AddressSpace } from "../domain/addresses/address-space.ts";
import { PageError } from "../domain/failure.ts";
import { type AddressPolicy, isAllowedAddress, type UpstreamProxy } from "./addresses.ts";
import { blockedAddress, ipLiteral, mayBe } from "./guarded-lookup.ts";
import { isConnectionReset, networkFailure } from "./network-failure.ts";
import { noWayIn } from "./pins.ts";
import { createProxyGate } from "./proxy-gate.ts";
import { createPass, type OwnPass, type ProxyPass, readBeginning } from "./proxy-pass.ts";
import { createTlsEnd } from "./tls-end.ts";
import { openTunnel, portOf, proxyFailure, proxyHeaders, refusedByProxy } from "./upstream-proxy.ts";

/** A running forward proxy that filters addresses. */
export type FilteringProxy = {
  port: number;
  /** The key by which this proxy ends TLS, for the browser (tls-end.ts); undefined if it ends none. */
  spki: string | undefined;
  /** Lets one more client in, which is asked for its credentials. */
  admit(): ProxyPass;
  /** Why the last request to this URL failed, if it did. */
  failureOf(url: string): PageError | undefined;
  /**
   * True if a request for this URL has arrived, or for https a connection to its server. The connection to the proxy
   * failed if it has not: what the browser reports then says nothing about the site.
   */
  hasReceived(url: string): boolean;
  /** Whether a server has been sent a request for this URL, for https anything at all, and has not responded. */
  isAwaiting(url: string): boolean;
  close(): Promise<void>;
};

const CONNECT_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 30_000;
const MAX_RESPONSE_BYTES = 50 * 1024 * 1024;
const MAX_TUNNEL_BYTES = 200 * 1024 * 1024;
const MAX_CONNECTIONS = 512;
/** The latest targets whose outcome is known. */
const MAX_OUTCOMES = 10_000;
const CHALLENGE = { "proxy-authenticate": 'Basic realm="site-validator"' };
const CHALLENGE_LINE = `proxy-authenticate: ${CHALLENGE["proxy-authenticate"]}\r\n`;
/** Headers about the connection to the proxy. They are not forwarded. */
const HOP_BY_HOP = new Set(["connection", "proxy-connection", "keep-alive", "proxy-authorization", "te", "upgrade"]);

/**
 * Starts an HTTP proxy for the browser. The proxy reaches allowed addresses only: it resolves names itself
 * and checks the address that it connects to. All traffic of a page (scripts, workers, WebSockets,
 * frames) goes through it, because the browser has no other access to the network. It listens on
 * loopback, where every user of the machine can connect to it: who has no pass gets 407.
 *
 * What leads into private networks is let in if it has a permit (`ProxyPass.permit`), or if nothing that its client has heard
 * of comes from further away. So a request that nobody has judged stays outside.
 *
 * @param idleLimitMs how long a server may be silent, if that is more than usual
 */
export async function startProxy(policy: AddressPolicy, idleLimitMs = 0): Promise<FilteringProxy> {
  /** The last failure of what was requested, if it failed. */
  const outcomes = new Map<string, PageError | undefined>();
  /** By what clients show. */
  const passes = new Map<string, OwnPass>();
  const timeout = Math.max(IDLE_TIMEOUT_MS, idleLimitMs);
  const sockets = new Set<Duplex>();
  /** What each exchange with a server waits for. */
  const awaited = new Map<Duplex | ServerResponse, string>();
  const servers = new Set<Server>();
  // Another one for the proxy behind this one, because connections to it are not checked.
  const toProxy = new Agent({ keepAlive: true, maxSockets: 32 });
  const mayPass = createProxyGate(policy);
  const tlsEnd = policy.tls && createTlsEnd(policy.tls);

  const trackSocket = (socket: Duplex): void => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  };
  const awaits = (exchange: Duplex | ServerResponse, target: string): void => {
    awaited.set(exchange, target);
    exchange.once("close", () => awaited.delete(exchange));
  };
  const record = (target: string, failure?: PageError): void => {
    outcomes.delete(target);
    outcomes.set(target, failure);
    const oldest = outcomes.keys().next();
    if (outcomes.size > MAX_OUTCOMES && !oldest.done) outcomes.delete(oldest.value);
  };
  const blockedLiteral = (host: string): PageError | undefined => {
    const literal = ipLiteral(host);
    if (literal && !isAllowedAddress(literal, policy)) {
      return blockedAddress(literal, literal);
    }
    return undefined;
  };

  /** Checks the address again when the socket is connected. */
  const verifyAddress = (socket: Socket, host: string, target: string): void => {
    if (!socket.connecting) return;
    const timer = setTimeout(
      () => socket.destroy(new PageError("timeout", `${target} did not accept a connection in time.`)),
      CONNECT_TIMEOUT_MS,
    );
    socket.once("close", () => clearTimeout(timer));
    socket.once("connect", () => {
      clearTimeout(timer);
      const address = socket.remoteAddress ?? "";
      const isOwn = [...servers].some((one) => socket.remotePort === portOfServer(one)) && /(^|:)127\./.test(address);
      if (!isOwn && mayBe(host, address, policy)) return;
      socket.destroy(blockedAddress(target, address));
    });
  };

  /** The proxy behind this one, if a URL is reached through it. @throws PageError for what must not be visited */
  const gate = async (url: URL): Promise<UpstreamProxy | undefined> => {
    const proxy = policy.proxyFor?.(url);
    if (proxy) await mayPass(url.hostname);
    return proxy;
  };
  const passOf = (incoming: IncomingMessage): OwnPass | undefined =>
    passes.get(incoming.headers["proxy-authorization"] ?? "");
  /** Whether nothing speaks against a request: somebody has judged it, or whoever may have sent it. @throws PageError */
  const isLetIn = async (pass: OwnPass, url: URL, from: readonly AddressSpace[]): Promise<boolean> => {
    const { to, isAllowed } = await pass.approach(url, { from });
    if (isAllowed) pass.hear(to);
    return isAllowed;
  };
  /** Whether a connection begins as somebody may who was judged: by TLS for a request, or as a WebSocket of such a page. */
  const beginsWell = async (pass: OwnPass, url: URL, target: string, client: Duplex): Promise<boolean> => {
    const beginning = await readBeginning(client, CONNECT_TIMEOUT_MS);
    if (beginning.is === "requests") return pass.hasPermit(undefined, target) && isLetIn(pass, url, []);
    const origin = beginning.is === "websocket" ? URL.parse(beginning.origin) : null;
    return origin !== null && isLetIn(pass, url, [(await pass.approach(origin, { from: [] })).to]);
  };
  const forward = (
    pass: OwnPass,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    url: URL,
    proxy: UpstreamProxy | undefined,
    isRepeated = false,
  ): void => {
    const port = portOf(url);
    const target = `${url.hostname}:${port}`;
    const path = url.pathname + url.search;
    const where = proxy
      ? { agent: toProxy, host: proxy.host, port: proxy.port, path: url.origin + path }
      : { agent: pass.agent, lookup: pass.lookup, host: ipLiteral(url.hostname) ?? url.hostname, port, path };
    const upstream = request({
      ...where,
      // On a connection of its own.
      ...(isRepeated && { agent: false }),
      method: incoming.method,
      headers: { ...forwarded(incoming.headers), host: url.host, ...(proxy && proxyHeaders(proxy)) },
      maxHeaderSize: 64 * 1024,
      // Many servers violate the standard, and browsers accept that.
      insecureHTTPParser: true,
      timeout,
    });
    if (!proxy) upstream.once("socket", (socket) => verifyAddress(socket, url.hostname, target));
    upstream.once("timeout", () => upstream.destroy(new PageError("timeout", `${target} did not respond in time.`)));
    upstream.once("error", (error) => {
      // The browser has left, which says nothing about the server.
      if (outgoing.destroyed) return;
      // A server may close an idle connection just when it is used again (RFC 9110, 9.2.2).
      const wasIdle = upstream.reusedSocket && isConnectionReset(error) && !outgoing.headersSent;
      if (wasIdle && !isRepeated && hasNoBody(incoming)) return forward(pass, incoming, outgoing, url, proxy, true);
      record(url.href, proxy ? proxyFailure(proxy, url.href, error) : networkFailure(error, url.href));
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
      record(url.href);
      awaited.delete(outgoing);
      relay(response, outgoing);
    });
    outgoing.once("close", () => upstream.destroy());
    // Not before: what arrives is lost if nobody else reads it.
    const budget = pass.budget();
    incoming.on("data", (chunk: Buffer) => {
      if (!budget.send(url.hostname, chunk.length)) outgoing.destroy();
    });
    incoming.pipe(upstream);
  };

  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse): unknown => {
    const pass = passOf(incoming);
    if (!pass) return respond(outgoing, 407, CHALLENGE);
    const url = absoluteUrl(incoming.url);
    if (!url) return respond(outgoing, 400);
    const refused = blockedLiteral(url.hostname);
    if (refused) {
      record(url.href, refused);
      return respond(outgoing, 403);
    }
    record(url.href, outcomes.get(url.href));
    awaits(outgoing, url.href);
    if (!pass.budget().take(url.hostname, incoming.method ?? "")) return respond(outgoing, 429);
    const judged = async () => {
      // Browsers write this header themselves, for this machine at least. It tells of all redirects on the way, too.
      const isOwn = incoming.headers["sec-fetch-site"] === "same-origin";
      const from = isOwn || pass.hasPermit(incoming.method, url.href) ? [] : [pass.heard()];
      if (!(await isLetIn(pass, url, from))) throw noWayIn(url, pass.policy);
      return gate(url);
    };
    judged().then(
      (proxy) => void (outgoing.destroyed || forward(pass, incoming, outgoing, url, proxy)),
      (error) => {
        record(url.href, networkFailure(error, url.href));
        respond(outgoing, 403);
      },
    );
  };
  /** @param known who asks for a WebSocket, if that need not be shown */
  const onConnect = (incoming: IncomingMessage, client: Duplex, head: Buffer, known?: OwnPass): unknown => {
    const [, host, portText] = /^(\[[0-9a-f:.]+\]|[^:/@]+):(\d{1,5})$/i.exec(incoming.url ?? "") ?? [];
    const port = Number(portText);
    client.on("error", () => {});
    const pass = known ?? passOf(incoming);
    if (!pass)
      return void client.end(
        `HTTP/1.1 407 Proxy Authentication Required\r\n${CHALLENGE_LINE}content-length: 0\r\n\r\n`,
      );
    if (!host || port < 1 || port > 65_535) return void client.end("HTTP/1.1 400 Bad Request\r\n\r\n");
    const target = `${host}:${port}`;
    const refused = blockedLiteral(host);
    if (refused) {
      record(target, refused);
      return void client.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    }
    record(target, outcomes.get(target));
    awaits(client, target);
    const url = new URL(`https://${target}`);
    if (!pass.budget().take(url.hostname, "GET")) return void client.end("HTTP/1.1 429 Too Many Requests\r\n\r\n");
    let isAnswered = false;
    const answer = (): void => {
      if (!isAnswered) client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      if (!isAnswered && head.length > 0) client.unshift(head);
      isAnswered = true;
    };
    const judge = async (): Promise<void> => {
      if (await isLetIn(pass, url, [pass.heard()])) return;
      // Who asks shows when it speaks.
      answer();
      if (!(await beginsWell(pass, url, target, client))) throw noWayIn(url, pass.policy);
    };
    const dial = async (): Promise<Socket> => {
      const proxy = await gate(url);
      return proxy ? tie(await openTunnel(proxy, target)) : dialDirectly();
    };
    /** Closes a connection with the browser's. @throws Error if that is closed already */
    const tie = (socket: Socket): Socket => {
      if (client.destroyed) {
        socket.destroy();
        throw new Error("the browser has closed its connection");
      }
      trackSocket(socket);
      client.once("close", () => socket.destroy());
      return socket;
    };
    const dialDirectly = (): Promise<Socket> => {
      const socket = tie(connect({ host: ipLiteral(host) ?? host, port, lookup: pass.lookup, autoSelectFamily: true }));
      verifyAddress(socket, host, target);
      const connected = Promise.withResolvers<Socket>();
      socket.on("error", connected.reject);
      // An address that is refused has been destroyed.
      socket.once("connect", () => socket.destroyed || connected.resolve(socket));
      return connected.promise;
    };
    /** Passes everything on, and knows which of the two spoke last. */
    const budget = pass.budget();
    const follow = (browser: Duplex, end: Duplex): void => {
      awaited.delete(client);
      exchange(browser, end);
      browser.on("data", (chunk: Buffer) => {
        if (!budget.send(url.hostname, chunk.length)) end.destroy();
        else if (!client.destroyed) awaited.set(client, target);
      });
      end.on("data", () => awaited.delete(client));
    };
    /** What happens after the browser has left says nothing about the server. */
    const fail = (error: unknown): void => void (client.destroyed || record(target, networkFailure(error, target)));
    const dialled = judge().then(dial);
    dialled.then(
      (socket) => {
        record(target);
        answer();
        if (!tlsEnd) return follow(client, socket);
        // The connection that there is comes first: most servers need no second one.
        let first: Socket | undefined = socket;
        const next = async (): Promise<Socket> => {
          const dialled = first ?? (await dial());
          first = undefined;
          return dialled;
        };
        // Others on this machine may have been faster than the browser.
        const shows = !known && pass.shows();
        if (shows) pass.showed(client);
        tlsEnd.connect(client, { host, port, shows }, next).then(
          ([browser, end]) => {
            // Later errors say nothing about the server, which has responded.
            end.once("error", fail).once("data", () => end.off("error", fail));
            follow(browser, end);
          },
          (error) => {
            fail(error);
            client.destroy();
          },
        );
      },
      (error) => {
        fail(error);
        if (isAnswered) client.destroy();
        else client.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
      },
    );
  };
  const listen = async (tunnels: typeof onConnect): Promise<Server> => {
    const server = createServer({ maxHeaderSize: 64 * 1024, keepAliveTimeout: IDLE_TIMEOUT_MS });
    server.maxConnections = MAX_CONNECTIONS;
    server.on("connection", trackSocket);
    server.on("request", onRequest);
    server.on("connect", tunnels);
    server.on("clientError", (_error, socket) => socket.destroy());
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(0, "127.0.0.1", resolve);
    });
    servers.add(server);
    return server;
  };
  const port = portOfServer(await listen(onConnect));
  return {
    port,
    spki: tlsEnd?.spki,
    admit: () => {
      const pass = createPass(policy);
      passes.set(pass.authorization, pass);
      let ofSockets: Server | undefined;
      return {
        ...pass,
        separateSockets: async (judge) => {
          ofSockets = await listen(async (incoming, client, head) => {
            const url = URL.parse(`https://${incoming.url}`);
            // What is refused here says nothing about the server.
            if (url && (await judge(url))) onConnect(incoming, client, head, pass);
            else client.end("HTTP/1.1 403 Forbidden\r\n\r\n");
          });
          const ports = { http: port, https: port, socks: portOfServer(ofSockets) };
          return Object.entries(ports)
            .map(([scheme, one]) => `${scheme}=http://127.0.0.1:${one}`)
            .join(";");
        },
        end: () => {
          passes.delete(pass.authorization);
          if (ofSockets) servers.delete(ofSockets);
          ofSockets?.close();
          pass.end();
        },
      };
    },
    failureOf: (url) => outcomes.get(targetOf(url)),
    isAwaiting: (url) => URL.canParse(url) && [...awaited.values()].includes(targetOf(url)),
    hasReceived: (url) => outcomes.has(targetOf(url)),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      for (const pass of passes.values()) pass.end();
      toProxy.destroy();
      await Promise.all([...servers].map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

function portOfServer(server: Server): number {
  return (server.address() as AddressInfo).port;
}

/** What the proxy sees of a URL: for https only the server's name and port. */
function targetOf(url: string): string {
  const { href, hash, hostname, port, protocol } = new URL(url);
  return protocol === "https:" ? `${hostname}:${port || 443}` : href.slice(0, href.length - hash.length);
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

function exchange(one: Duplex, other: Duplex): void {
  if (one.destroyed || other.destroyed) {
    one.destroy();
    other.destroy();
    return;
  }
  tunnel(one, other);
  tunnel(other, one);
}

function tunnel(from: Duplex, to: Duplex): void {
  let size = 0;
  from.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > MAX_TUNNEL_BYTES) from.destroy();
  });
  from.on("error", () => {});
  from.once("close", () => to.destroy());
  from.pipe(to);
}
