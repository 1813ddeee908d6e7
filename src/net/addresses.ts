import ipaddr from "ipaddr.js";

/** 168.63.129.16 is Azure's host endpoint: public by its range, a metadata service in fact. */
const ALWAYS_REFUSED = new Set(["168.63.129.16"]);

/** Networks that may be visited although they are not public, parsed once. */
export type AddressPolicy = { allowed: [ipaddr.IPv4 | ipaddr.IPv6, number][] };

/**
 * @param cidrs networks such as `10.0.0.0/8` or `::1/128`
 * @throws Error naming the entry that is no network
 */
export function addressPolicy(cidrs: readonly string[]): AddressPolicy {
  return {
    allowed: cidrs.map((cidr) => {
      try {
        return ipaddr.parseCIDR(cidr);
      } catch {
        throw new Error(`${JSON.stringify(cidr)} is no network in CIDR notation, such as 10.0.0.0/8.`);
      }
    }),
  };
}

/**
 * True when a connection to this address is allowed: public unicast, or in a network
 * that the operator opened. IPv4 addresses inside IPv6 ones (mapped, NAT64, 6to4) are
 * refused as such: ipaddr.js gives their ranges names of their own.
 */
export function isAllowedAddress(address: string, policy: AddressPolicy): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  const inside = policy.allowed.some(
    ([network, bits]) => network.kind() === parsed.kind() && parsed.match(network as ipaddr.IPv4, bits),
  );
  if (inside) return true;
  return parsed.range() === "unicast" && !ALWAYS_REFUSED.has(parsed.toString());
}
