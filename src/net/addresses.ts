import ipaddr from "ipaddr.js";

/** 168.63.129.16 is in a public range, but it is Azure's host endpoint with a metadata service. */
const ALWAYS_REFUSED = new Set(["168.63.129.16"]);

/** Private networks that may be visited, already parsed. */
export type AddressPolicy = { allowed: [ipaddr.IPv4 | ipaddr.IPv6, number][] };

/**
 * @param cidrs networks such as `10.0.0.0/8` or `::1/128`
 * @throws Error naming the entry that is not a network
 */
export function addressPolicy(cidrs: readonly string[]): AddressPolicy {
  return {
    allowed: cidrs.map((cidr) => {
      try {
        return ipaddr.parseCIDR(cidr);
      } catch {
        throw new Error(`${JSON.stringify(cidr)} is not a network in CIDR notation, such as 10.0.0.0/8.`);
      }
    }),
  };
}

/**
 * True when a connection to this address is allowed: it is public unicast, or in a network that
 * the operator allowed. IPv6 addresses that embed IPv4 ones (mapped, NAT64, 6to4) are refused:
 * ipaddr.js gives their ranges other names than `unicast`.
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
