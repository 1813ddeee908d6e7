import { within } from "../time/within.ts";
import type { AddressPolicy } from "./addresses.ts";
import { blockedAddress, ipLiteral, mayBe, resolveName } from "./guarded-lookup.ts";

/** Lets hosts pass to a proxy. @throws PageError `blocked_address` */
export type ProxyGate = (hostname: string) => Promise<void>;

/** Without the names of the world outside, a resolver may take long to say so. */
const RESOLVE_TIMEOUT_MS = 3_000;
const MAX_REMEMBERED = 10_000;
/** Names below these are of the networks around a machine (RFC 6761, RFC 6762 with its appendix G, RFC 8375). */
const LOCAL = ["localhost", "local", "internal", "intranet", "private", "corp", "home", "lan", "home.arpa"];

/**
 * What is reached through a proxy has its name resolved there. Addresses are checked here, and so are names that are known
 * here; names of networks around this machine pass only if they are. All other names are the proxy's to judge, which knows
 * what is inside (docs/security.md).
 */
export function createProxyGate(policy: AddressPolicy): ProxyGate {
  /** Names that this machine cannot resolve. */
  const unknown = new Set<string>();
  return async (hostname) => {
    const literal = ipLiteral(hostname);
    const addresses = literal === undefined ? await addressesOf(hostname) : [literal];
    const refused = addresses.find((address) => !mayBe(hostname, address, policy));
    if (refused !== undefined) throw blockedAddress(hostname, refused);
    if (addresses.length === 0 && isLocal(hostname)) throw blockedAddress(hostname, "of a local network");
  };

  async function addressesOf(hostname: string): Promise<string[]> {
    if (unknown.has(hostname)) return [];
    const resolved = resolveName(hostname, policy).catch(() => []);
    const found = await within(RESOLVE_TIMEOUT_MS, resolved, []);
    if (found.length === 0) {
      if (unknown.size >= MAX_REMEMBERED) unknown.clear();
      unknown.add(hostname);
    }
    return found.map(({ address }) => address);
  }
}

function isLocal(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, "");
  return !name.includes(".") || LOCAL.some((domain) => name.endsWith(`.${domain}`));
}
