import ipaddr from "ipaddr.js";
import type { AddressSpace } from "../domain/addresses/address-space.ts";
import { GLOBAL_UNICAST, LOOPBACK, specialNetworks } from "./special-networks.ts";
import type { TlsTrust } from "./tls-trust.ts";

export type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Which addresses may be visited, and how: public ones, and those of `allowed`; never those of `denied`. */
export type AddressPolicy = {
  allowed: readonly Network[];
  denied: readonly Network[];
  /** A name that must resolve to `allowed` addresses only, because they are allowed for its sake. */
  privateHost?: string;
  /** Hosts with their ports that the user has named, for `mayApproach`. */
  named?: ReadonlySet<string>;
  /** Of `allowed` addresses only those that are named may be visited. */
  onlyNamed?: boolean;
  /** Hosts with their ports, the only ones that may be visited; all if left out. */
  only?: ReadonlySet<string>;
  /** Used instead of the system's resolver. */
  resolve?: Resolve;
  /** Whose TLS certificates are accepted, and what is shown to whom, if not as usual. */
  tls?: TlsTrust;
  /** Through which proxy a URL is reached, if through one. */
  proxyFor?: ProxyFor;
};

/** A proxy through which sites are reached. Its password is in no message: `name` is what may be shown. */
export type UpstreamProxy = { host: string; port: number; name: string; authorization: string | undefined };

/** The proxy for a URL; undefined if it is reached without one. */
export type ProxyFor = (url: URL) => UpstreamProxy | undefined;

/** All addresses of a name. @throws the resolver's error */
export type Resolve = (hostname: string) => Promise<{ address: string; family: number }[]>;

const special = parseNetworks(specialNetworks);
const loopback = parseNetworks(LOOPBACK);
const [globalUnicast] = parseNetworks([GLOBAL_UNICAST]);

/**
 * @param allowed private networks that may be visited, such as `10.0.0.0/8` or `::1/128`
 * @param denied networks that may not be visited, even if they are public or allowed
 * @throws Error naming the entry that is not a network
 */
export function addressPolicy(allowed: readonly string[], denied: readonly string[] = []): AddressPolicy {
  return { allowed: parseNetworks(allowed), denied: parseNetworks(denied) };
}

/** @throws Error naming the entry that is not a network */
export function parseNetworks(cidrs: readonly string[]): Network[] {
  return cidrs.map((cidr) => {
    try {
      return ipaddr.parseCIDR(cidr);
    } catch {
      throw new Error(`${JSON.stringify(cidr)} is not a network in CIDR notation, such as 10.0.0.0/8.`);
    }
  });
}

/**
 * True when a connection to this address is allowed: it is public or in a network that the operator allowed, and it
 * is in no network that the operator denied. IPv6 addresses that embed IPv4 ones (mapped, NAT64, 6to4) do not count
 * as public.
 *
 * @param address as sockets and resolvers write it, without a zone
 */
export function isAllowedAddress(address: string, { allowed, denied }: AddressPolicy): boolean {
  if (!ipaddr.isValid(address)) return false;
  // An IPv4 address that is written as an IPv6 one (`::ffff:127.0.0.1`) reaches the same machine.
  if ([address, ipaddr.process(address).toString()].some((one) => isInside(one, denied))) return false;
  return isInside(address, allowed) || isPublic(address);
}

/** @param address a valid IP address */
export function isInside(address: string, networks: readonly Network[]): boolean {
  const parsed = ipaddr.parse(address);
  return networks.some(
    ([network, bits]) => network.kind() === parsed.kind() && parsed.match(network as ipaddr.IPv4, bits),
  );
}

/** @param address a valid IP address; an IPv4 one that is written as an IPv6 one is what it reaches */
export function spaceOfAddress(address: string): AddressSpace {
  const reached = ipaddr.process(address).toString();
  if (isInside(reached, loopback)) return "loopback";
  return isPublic(reached) ? "public" : "private";
}

function isPublic(address: string): boolean {
  if (ipaddr.parse(address).kind() === "ipv6" && !isInside(address, globalUnicast ? [globalUnicast] : [])) return false;
  return !isInside(address, special);
}
