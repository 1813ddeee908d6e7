import type { Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { AddressSpace } from "../../domain/addresses/address-space.ts";
import { PageError } from "../../domain/failure.ts";
import { type AddressPolicy, isAllowedAddress, type UpstreamProxy } from "../addresses.ts";
import { blockedAddress, ipLiteral, mayBe } from "../guarded-lookup.ts";
import { createProxyGate } from "../proxy-gate.ts";
import { type OwnPass, readBeginning } from "../proxy-pass.ts";

const CONNECT_TIMEOUT_MS = 10_000;

/** Which addresses the proxy reaches. */
export type Reach = {
  /** Why an address in a URL itself may not be reached; undefined for a name, and for one that may. */
  blockedLiteral(host: string): PageError | undefined;
  /** Checks the address again when the socket is connected, which has a limit. */
  verifyAddress(socket: Socket, host: string, target: string): void;
  /** The proxy behind this one, if a URL is reached through it. @throws PageError for what must not be visited */
  gate(url: URL): Promise<UpstreamProxy | undefined>;
};

/** @param servers the proxy's own, which nobody reaches through it */
export function createReach(policy: AddressPolicy, servers: ReadonlySet<Server>): Reach {
  const mayPass = createProxyGate(policy);
  return {
    blockedLiteral(host) {
      const literal = ipLiteral(host);
      return literal && !isAllowedAddress(literal, policy) ? blockedAddress(literal, literal) : undefined;
    },
    verifyAddress(socket, host, target) {
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
    },
    async gate(url) {
      const proxy = policy.proxyFor?.(url);
      if (proxy) await mayPass(url.hostname);
      return proxy;
    },
  };
}

export function portOfServer(server: Server): number {
  return (server.address() as AddressInfo).port;
}

/** Whether nothing speaks against a request: somebody has judged it, or whoever may have sent it. @throws PageError */
export async function isLetIn(pass: OwnPass, url: URL, from: readonly AddressSpace[]): Promise<boolean> {
  const { to, isAllowed } = await pass.approach(url, { from });
  if (isAllowed) pass.hear(to);
  return isAllowed;
}

/** Whether a connection begins as somebody may who was judged: by TLS for a request, or as a WebSocket of such a page. */
export async function beginsWell(pass: OwnPass, url: URL, target: string, client: Duplex): Promise<boolean> {
  const beginning = await readBeginning(client, CONNECT_TIMEOUT_MS);
  if (beginning.is === "requests") return pass.hasPermit(undefined, target) && isLetIn(pass, url, []);
  const origin = beginning.is === "websocket" ? URL.parse(beginning.origin) : null;
  return origin !== null && isLetIn(pass, url, [(await pass.approach(origin, { from: [] })).to]);
}
