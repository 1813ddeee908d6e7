import { type LookupAddress, type LookupOptions, lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { PageError } from "../domain/failure.ts";
import { type AddressPolicy, isAllowedAddress, isInside } from "./addresses.ts";

/**
 * A resolver for `net.connect` that fails when any of a name's addresses is not allowed: one such
 * address is enough to distrust the name. `net.connect` connects to the very addresses that were
 * checked, so that a name which later resolves to another address (DNS rebinding) does not pass.
 * For IP literals `net.connect` calls no resolver.
 */
export function guardedLookup(policy: AddressPolicy): LookupFunction {
  return (hostname, options, callback) => {
    resolveAll(hostname, options, policy, (error, addresses) => {
      if (error) return callback(error, []);
      const refused = addresses.find(({ address }) => !mayBe(hostname, address, policy));
      if (refused) return callback(blockedAddress(hostname, refused.address), []);
      const first = addresses[0];
      if (options.all || !first) return callback(null, addresses);
      callback(null, first.address, first.family);
    });
  };
}

/** Whether a name may resolve to an address. */
export function mayBe(hostname: string, address: string, policy: AddressPolicy): boolean {
  if (!isAllowedAddress(address, policy)) return false;
  return hostname !== policy.privateHost || isInside(address, policy.allowed);
}

type Resolved = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

function resolveAll(hostname: string, options: LookupOptions, { resolve }: AddressPolicy, done: Resolved): void {
  if (!resolve) lookup(hostname, { ...options, all: true }, done);
  else
    resolve(hostname).then(
      (addresses) => done(null, addresses),
      (error) => done(error, []),
    );
}

/** All addresses of a name, whether they are allowed or not. @throws the resolver's error */
export function resolveName(hostname: string, policy: AddressPolicy): Promise<LookupAddress[]> {
  return new Promise((resolve, reject) =>
    resolveAll(hostname, {}, policy, (error, addresses) => (error ? reject(error) : resolve(addresses))),
  );
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
    `${where} must not be visited: it is not a public address, or DENIED_CIDRS denies it. A private address must be ` +
      "in ALLOWED_PRIVATE_CIDRS, and the host of the report's starting URL must resolve to such an address, too.",
  );
}
