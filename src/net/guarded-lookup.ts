import { lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { PageError } from "../domain/failure.ts";
import { type AddressPolicy, isAllowedAddress } from "./addresses.ts";

/**
 * A resolver for `net.connect` that fails when any address of the answer is not allowed:
 * one that is not shows what the name is for. What is judged is what is dialled, so a
 * name that answers differently the second time (DNS rebinding) gains nothing. Not
 * asked for IP literals.
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

/** The IP literal that a URL's host is, without brackets; undefined for a name. */
export function ipLiteral(host: string): string | undefined {
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  return isIP(bare) ? bare : undefined;
}

/** The refusal to connect to an address, whatever name it was reached by. */
export function blockedAddress(host: string, address: string): PageError {
  const where = host === address ? address : `${host} (${address})`;
  return new PageError(
    "blocked_address",
    `${where} is not a public address, and the configuration does not allow it (ALLOWED_PRIVATE_CIDRS).`,
  );
}
