import { lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { PageError } from "../domain/failure.ts";
import { type AddressPolicy, isAllowedAddress } from "./addresses.ts";

/**
 * A resolver for `net.connect` that fails when any of a name's addresses is not allowed: one such
 * address is enough to distrust the name. The addresses checked are those connected to, so that a
 * name which later resolves to another address (DNS rebinding) does not pass. `net.connect` does
 * not call it for IP literals.
 */
export function guardedLookup(policy: AddressPolicy): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      const refused = addresses.find(({ address }) => !isAllowedAddress(address, policy));
      if (refused) return callback(blockedAddress(hostname, refused.address), []);
      const first = addresses[0];
      if (options.all || !first) return callback(null, addresses);
      callback(null, first.address, first.family);
    });
  };
}

/** A URL's host without brackets when it is an IP literal; undefined for a name. */
export function ipLiteral(host: string): string | undefined {
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  return isIP(bare) ? bare : undefined;
}

/** The error for an address that is not allowed. `host` is the name that resolved to it, or the address. */
export function blockedAddress(host: string, address: string): PageError {
  const where = host === address ? address : `${host} (${address})`;
  return new PageError(
    "blocked_address",
    `${where} is not a public address, and the configuration does not allow it (ALLOWED_PRIVATE_CIDRS).`,
  );
}
