import { Agent, createServer, type IncomingMessage, type Server } from "node:http";
import type { Duplex } from "node:stream";
import type { PageError } from "../domain/failure.ts";
import type { AddressPolicy } from "./addresses.ts";
import { createOutcomes } from "./proxy/outcomes.ts";
import { createReach, portOfServer } from "./proxy/reach.ts";
import { requestHandler } from "./proxy/requests.ts";
import { type OpenTunnel, tunnelOpener } from "./proxy/tunnels.ts";
import { createPass, type OwnPass, type ProxyPass } from "./proxy-pass.ts";
import { createTlsEnd } from "./tls-end.ts";

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

const IDLE_TIMEOUT_MS = 30_000;
const MAX_CONNECTIONS = 512;

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
  /** By what clients show. */
  const passes = new Map<string, OwnPass>();
  const sockets = new Set<Duplex>();
  const servers = new Set<Server>();
  const toProxy = new Agent({ keepAlive: true, maxSockets: 32 });
  const tlsEnd = policy.tls && createTlsEnd(policy.tls);
  const outcomes = createOutcomes();
  const trackSocket = (socket: Duplex): void => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  };
  const shared = {
    ...{ outcomes, reach: createReach(policy, servers) },
    passOf: (incoming: IncomingMessage) => passes.get(incoming.headers["proxy-authorization"] ?? ""),
  };
  const onRequest = requestHandler({ ...shared, toProxy, timeout: Math.max(IDLE_TIMEOUT_MS, idleLimitMs) });
  const onConnect = tunnelOpener({ ...shared, trackSocket, tlsEnd });

  const listen = async (tunnels: OpenTunnel): Promise<Server> => {
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
    failureOf: outcomes.failureOf,
    isAwaiting: outcomes.isAwaiting,
    hasReceived: outcomes.has,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      for (const pass of passes.values()) pass.end();
      toProxy.destroy();
      await Promise.all([...servers].map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}
