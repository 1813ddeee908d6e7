import { lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { PageError } from "../domain/failure.ts";
import { type AddressPolicy, isAllowedAddress } from "./addresses.ts";

/**
 * A resolver for `net.connect` that fails when any address of the answer is not
 * allowed, so that what is judged is what is dialled. Not asked for IP literals.
 */
export function guardedLookup(policy: AddressPolicy): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      const refused = addresses.find(({ address }) => !isAllowedAddress(address, policy));
      if (refused) {
        const detail = `${hostname} is ${refused.address}, which is not a public address and not allowed.`;
        return callback(new PageError("blocked_address", detail), []);
      }
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
