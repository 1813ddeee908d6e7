/**
 * Networks whose addresses are not hosts of the public Internet, from the IANA special-purpose address
 * registries (RFC 6890, https://www.iana.org/assignments/iana-ipv4-special-registry and …ipv6-special-registry)
 * and the registries of multicast addresses. Networks that translate to others (NAT64, 6to4, Teredo) are
 * among them, because what they lead to cannot be seen.
 */
export const specialNetworks: readonly string[] = [
  "0.0.0.0/8", // "this network"; Linux connects to itself
  "10.0.0.0/8", // private use
  "100.64.0.0/10", // shared address space (carrier-grade NAT)
  "127.0.0.0/8", // loopback
  "168.63.129.16/32", // not in the registry: Azure's host endpoint with a metadata service
  "169.254.0.0/16", // link local, with most clouds' metadata services
  "172.16.0.0/12", // private use
  "192.0.0.0/24", // IETF protocol assignments
  "192.0.2.0/24", // documentation (TEST-NET-1)
  "192.31.196.0/24", // AS112-v4
  "192.52.193.0/24", // AMT
  "192.88.99.0/24", // 6to4 relay anycast, deprecated
  "192.168.0.0/16", // private use
  "192.175.48.0/24", // AS112 direct delegation
  "198.18.0.0/15", // benchmarking
  "198.51.100.0/24", // documentation (TEST-NET-2)
  "203.0.113.0/24", // documentation (TEST-NET-3)
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, with the limited broadcast address

  // Of IPv6 only 2000::/3 is global unicast (GLOBAL_UNICAST): loopback, mapped addresses, 64:ff9b::/96 and
  // 64:ff9b:1::/48 (NAT64), 100::/64, 5f00::/16, fc00::/7, fe80::/10, fec0::/10 and ff00::/8 are outside of it.
  "2001::/23", // IETF protocol assignments: Teredo, benchmarking, ORCHID, AMT, …
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4
  "2620:4f:8000::/48", // AS112 direct delegation
  "3ffe::/16", // 6bone, returned (RFC 3701)
  "3fff::/20", // documentation
];

/** All global unicast addresses of IPv6 that are assigned (RFC 4291, section 2.4). */
export const GLOBAL_UNICAST = "2000::/3";

/** The addresses of `localhost`. */
export const LOCALHOST: readonly string[] = ["127.0.0.0/8", "::1/128"];

/** Networks that lead to the machine itself. */
export const LOOPBACK: readonly string[] = [...LOCALHOST, "0.0.0.0/8", "::/128"];
