import type { Socket } from "node:net";
import { Agent, buildConnector } from "undici";
import { type AddressPolicy, isAllowedAddress } from "./addresses.ts";
import { blockedAddress, guardedLookup, ipLiteral, mayBe } from "./guarded-lookup.ts";
import { tlsOptions } from "./tls-trust.ts";

/** Similar to what browsers allow. */
const MAX_CONNECTIONS_PER_HOST = 8;

/**
 * An agent that connects to allowed addresses only. It checks the address that it connects to, so
 * that a name which later resolves to another address (DNS rebinding) does not pass.
 */
export function createGuardedAgent(policy: AddressPolicy): Agent {
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
