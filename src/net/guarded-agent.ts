import type { Socket } from "node:net";
import { Agent, buildConnector } from "undici";
import { type AddressPolicy, isAllowedAddress, type UpstreamProxy } from "./addresses.ts";
import { blockedAddress, guardedLookup, ipLiteral, mayBe } from "./guarded-lookup.ts";
import { createProxyGate, type ProxyGate } from "./proxy-gate.ts";
import { tlsOptions, withoutCertificates } from "./tls-trust.ts";
import { openTunnel, portOf, proxyHeaders } from "./upstream-proxy.ts";

/** Similar to what browsers allow. */
const MAX_CONNECTIONS_PER_HOST = 8;

/** Where a request is sent. */
export type Route = {
  agent: Agent;
  origin: string;
  /** A path, or for a proxy the whole URL. */
  path: string;
  /** Only what the proxy is told. */
  headers?: Record<string, string>;
  /** The proxy that the request itself is sent to. */
  proxy?: UpstreamProxy;
};

/** An HTTP client that reaches allowed addresses only. */
export type GuardedAgent = {
  /** @param shows whether the host may be shown a client certificate @throws PageError for what must not be visited */
  routeOf(url: URL, shows?: boolean): Promise<Route>;
  destroy(error: Error): Promise<void>;
};

/** To a proxy, for all hosts together. */
const MAX_CONNECTIONS_TO_PROXY = 32;

export function createGuardedAgent(policy: AddressPolicy): GuardedAgent {
  const gate = createProxyGate(policy);
  const direct = createDirectAgent(policy, gate);
  const { tls } = policy;
  const hasCertificates = tls !== undefined && tls.clientCertificates.size > 0;
  // Connections with a certificate are for nobody else.
  const bare = hasCertificates ? createDirectAgent({ ...policy, tls: withoutCertificates(tls) }, gate) : direct;
  // Never used for anything else: connections to the proxy are not checked.
  const toProxy = policy.proxyFor && new Agent({ connections: MAX_CONNECTIONS_TO_PROXY, pipelining: 1 });
  return {
    routeOf: async (url, shows = true) => {
      const path = url.pathname + url.search;
      const proxy = url.protocol === "http:" ? policy.proxyFor?.(url) : undefined;
      if (!toProxy || !proxy) return { agent: shows ? direct : bare, origin: url.origin, path };
      await gate(url.hostname);
      const headers = { host: url.host, ...proxyHeaders(proxy) };
      return { agent: toProxy, origin: `http://${proxy.name}`, path: url.origin + path, headers, proxy };
    },
    destroy: async (error) => {
      await Promise.all([direct.destroy(error), bare.destroy(error), toProxy?.destroy(error)]);
    },
  };
}

/**
 * An agent that connects to allowed addresses only. It checks the address that it connects to, so
 * that a name which later resolves to another address (DNS rebinding) does not pass.
 */
function createDirectAgent(policy: AddressPolicy, gate: ProxyGate): Agent {
  const common = {
    // HTTP/2 would share one connection among all requests, and no site requires it.
    allowH2: false,
    timeout: 10_000,
    lookup: guardedLookup(policy),
  };
  const usual = buildConnector(common);
  const connectorOf = ({ protocol, hostname, port }: buildConnector.Options) => {
    if (protocol !== "https:" || !policy.tls) return usual;
    return buildConnector({ ...common, ...tlsOptions(policy.tls, hostname, Number(port) || 443) });
  };
  return new Agent({
    connections: MAX_CONNECTIONS_PER_HOST,
    pipelining: 1,
    connect(options, callback) {
      const url = URL.parse(`${options.protocol}//${options.host ?? options.hostname}`);
      const proxy = url?.protocol === "https:" ? policy.proxyFor?.(url) : undefined;
      if (url && proxy) {
        gate(url.hostname)
          .then(() => openTunnel(proxy, `${url.hostname}:${portOf(url)}`))
          .then(
            (httpSocket) => connectorOf(options)({ ...options, httpSocket } as buildConnector.Options, callback),
            (error) => callback(error, null),
          );
        return;
      }
      // For an IP literal there is no lookup that could check it.
      const literal = ipLiteral(options.hostname);
      if (literal !== undefined && !isAllowedAddress(literal, policy)) {
        callback(blockedAddress(literal, literal), null);
        return;
      }
      connectorOf(options)(options, (error, socket) => {
        if (error) callback(error, null);
        else callback(...verified(socket, options.hostname, policy));
      });
    },
  });
}

/** A second check, of the address that the socket is connected to. */
function verified(socket: Socket, hostname: string, policy: AddressPolicy): [null, Socket] | [Error, null] {
  const address = socket.remoteAddress;
  if (address === undefined || mayBe(hostname, address.replace(/%.*$/, ""), policy)) return [null, socket];
  socket.destroy();
  return [blockedAddress(hostname, address), null];
}
