import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { isThisMachine } from "../domain/addresses/this-machine.ts";
import type { Backoff } from "../domain/backoff.ts";
import { retry } from "../time/retry.ts";
import { type AddressPolicy, addressPolicy, isInside, parseNetworks, type Resolve } from "./addresses.ts";
import { ipLiteral } from "./guarded-lookup.ts";
import { hostAndPort } from "./pins.ts";
import { LOCALHOST, LOOPBACK } from "./special-networks.ts";
import { hostOfName, type TlsTrust } from "./tls-trust.ts";
import { upstreamProxies } from "./upstream-proxy.ts";

/** What an operator allows and denies. */
export type NetworkSettings = {
  allowedPrivateCidrs: readonly string[];
  deniedCidrs: readonly string[];
  /** The only origins that reports may send requests to; all when there are none. */
  allowedOrigins?: readonly string[] | undefined;
  /** Addresses of names that DNS does not know yet, or not so, each as `name=address`. */
  hostAddresses?: readonly string[] | undefined;
  /**
   * Reports whose starting URL is on this machine (`localhost` or a loopback address) may visit it; "start": only the host
   * and port of that URL, and the same in private networks.
   */
  allowLocalhost: boolean | "start";
  /** Whose TLS certificates are accepted, and what is shown to whom (tls-files.ts). */
  tls?: TlsTrust | undefined;
  /** Through which proxies sites are reached (upstream-proxy.ts). */
  httpProxy?: string | undefined;
  httpsProxy?: string | undefined;
  noProxy?: readonly string[] | undefined;
  /** The report is a guest's: this machine is closed to it, whatever is allowed (docs/adr/0069). */
  ofGuest?: boolean | undefined;
};

const RESOLVE_TRIES = 3;
const RESOLVE_BACKOFF: Backoff = { baseMs: 500, maxMs: 1_000 };

/**
 * The addresses that one report may visit. Private networks are open only to a report whose own starting URL is in
 * one: otherwise any public site could make a report read private sites, by a redirect, a script or its DNS.
 * Loopback addresses are open only to a report that starts at one, and that is no guest's.
 *
 * A host name counts as private when all its addresses are in allowed networks, and it must stay so: its pages could
 * read private sites, so none of its pages may come from a public address.
 */
export async function reportPolicy(
  startingUrl: string,
  {
    allowedPrivateCidrs,
    deniedCidrs,
    allowLocalhost,
    hostAddresses = [],
    allowedOrigins = [],
    tls,
    ofGuest = false,
    ...proxies
  }: NetworkSettings,
  systemResolve: Resolve = resolveAll,
): Promise<AddressPolicy> {
  const given = readHostAddresses(hostAddresses);
  const resolve = given.size > 0 ? withAddresses(given, systemResolve) : systemResolve;
  const proxyFor = upstreamProxies(proxies);
  const { hostname } = new URL(startingUrl);
  const isLocal = !ofGuest && isThisMachine(hostname);
  const cidrs = [...allowedPrivateCidrs, ...(allowLocalhost && isLocal ? LOCALHOST : [])];
  const closed = {
    ...addressPolicy([], deniedCidrs),
    ...(allowedOrigins.length > 0 && { only: new Set(allowedOrigins.map((origin) => hostAndPort(new URL(origin)))) }),
    ...(given.size > 0 && { resolve }),
    // No proxy knows the way to this machine, or to an address that is given here.
    ...(proxyFor && {
      proxyFor: (url: URL) => (isThisMachine(url.hostname) || given.has(url.hostname) ? undefined : proxyFor(url)),
    }),
    ...(tls && { tls: trustFor(startingUrl, tls) }),
  };
  if (cidrs.length === 0) return closed;
  const literal = ipLiteral(hostname);
  const addresses = literal === undefined ? await addressesOf(hostname, resolve) : [literal];
  const networks = parseNetworks(cidrs);
  const loopback = parseNetworks(LOOPBACK);
  const isThere = addresses.length > 0 && addresses.every((address) => isInside(address, networks));
  if (!isThere && !(isLocal && allowLocalhost)) return closed;
  const fromLoopback = isLocal || (!ofGuest && addresses.every((address) => isInside(address, loopback)));
  return {
    ...closed,
    allowed: networks,
    denied: [...closed.denied, ...(fromLoopback ? [] : loopback)],
    named: new Set([hostAndPort(new URL(startingUrl))]),
    onlyNamed: allowLocalhost === "start",
    ...(literal === undefined && !isLocal && { privateHost: hostname }),
  };
}

/**
 * What a report may use of the operator's trust. Client certificates are for reports that start at a host that has one:
 * otherwise any public site could make a report read what they open, by a redirect or a script.
 */
function trustFor(startingUrl: string, tls: TlsTrust): TlsTrust {
  const { hostname } = new URL(startingUrl);
  const isNamed = [...tls.clientCertificates.keys()].some((name) => hostOfName(name) === hostname);
  return isNamed ? tls : { ...tls, clientCertificates: new Map() };
}

/** The addresses of a name; none when it cannot be resolved: fetching its pages then reports the error. */
async function addressesOf(hostname: string, resolve: Resolve): Promise<string[]> {
  const isTemporary = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "EAI_AGAIN";
  const resolved = await retry(() => resolve(hostname), {
    shouldRetry: (error, { failures }) => isTemporary(error) && failures < RESOLVE_TRIES,
    backoff: RESOLVE_BACKOFF,
  }).catch(() => []);
  return resolved.map(({ address }) => address);
}

/** A resolver that knows some names by itself. */
function withAddresses(known: ReadonlyMap<string, string>, resolve: Resolve): Resolve {
  return async (hostname) => {
    const address = known.get(hostname.toLowerCase().replace(/\.$/, ""));
    return address === undefined ? resolve(hostname) : [{ address, family: isIP(address) }];
  };
}

/**
 * Reads names with their addresses.
 *
 * @param entries each as `name=address`
 * @throws Error naming the entry that is wrong
 */
export function readHostAddresses(entries: readonly string[]): Map<string, string> {
  return new Map(
    entries.map((entry) => {
      const [name = "", address = ""] = entry.split("=").map((part) => part.trim());
      const host = URL.parse(`http://${name}/`)?.hostname;
      if (
        host === undefined ||
        host !== name.toLowerCase() ||
        host.endsWith(".") ||
        isIP(name) !== 0 ||
        isIP(address) === 0
      )
        throw new Error(
          `${JSON.stringify(entry)} is not a host name with its address, such as shop.example.org=10.0.0.5.`,
        );
      return [host, address];
    }),
  );
}

const resolveAll: Resolve = (hostname) => lookup(hostname, { all: true });
