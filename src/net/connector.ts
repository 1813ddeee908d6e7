import type { Socket } from "node:net";
import { Agent, buildConnector } from "undici";
import { type AddressPolicy, isAllowedAddress } from "./addresses.ts";
import { blockedAddress, guardedLookup, ipLiteral } from "./guarded-lookup.ts";

/** As many as a browser opens to one host. */
const CONNECTIONS = 8;

/**
 * Connections to allowed addresses only. The check stands where the address is dialled,
 * so that a name that answers differently the second time (DNS rebinding) gains nothing.
 */
export function createGuardedAgent(policy: AddressPolicy): Agent {
  const connect = buildConnector({
    // HTTP/2 would share one connection among all requests; sites that need it do not exist.
    allowH2: false,
    timeout: 10_000,
    lookup: guardedLookup(policy),
  });
  return new Agent({
    connections: CONNECTIONS,
    pipelining: 1,
    connect(options, callback) {
      // A literal is dialled without a lookup.
      const literal = ipLiteral(options.hostname);
      if (literal !== undefined && !isAllowedAddress(literal, policy)) {
        callback(blockedAddress(literal, literal), null);
        return;
      }
      connect(options, (error, socket) => {
        if (error) callback(error, null);
        else callback(...verified(socket, options.hostname, policy));
      });
    },
  });
}

/** Belt and braces: what the socket says it is connected to. */
function verified(socket: Socket, hostname: string, policy: AddressPolicy): [null, Socket] | [Error, null] {
  const address = socket.remoteAddress;
  if (address === undefined || isAllowedAddress(address.replace(/%.*$/, ""), policy)) return [null, socket];
  socket.destroy();
  return [blockedAddress(hostname, address), null];
}
