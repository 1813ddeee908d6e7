import type { LookupAddress } from "node:dns";
import { within } from "../time/within.ts";
import type { AddressPolicy } from "./addresses.ts";
import { blockedAddress, ipLiteral, mayBe, resolveName } from "./guarded-lookup.ts";

/** Lets hosts pass to a proxy. @throws PageError `blocked_address` */
export type ProxyGate = (hostname: string) => Promise<void>;

/** Without the names of the world outside, a resolver may take long to say so. */
const RESOLVE_TIMEOUT_MS = 3_000;
const MAX_REMEMBERED = 10_000;
/** How long a name stays unknown: it may be known soon. */
const REMEMBER_MS = 30_000;
/** Names below these are of the networks around a machine (RFC 6761, RFC 6762 with its appendix G, RFC 8375). */
const LOCAL = ["localhost", "local", "internal", "intranet", "private", "corp", "home", "lan", "home.arpa", "svc"];

/**
 * What is reached through a proxy has its name resolved there. Addresses are checked here, and so are names that are known
 * here; names of networks around this machine pass only if they are. All other names are the proxy's to judge, which knows
 * what is inside (docs/security.md).
 */
export function createProxyGate(policy: AddressPolicy, now = () => performance.now()): ProxyGate {
  /** Names of which the resolver says that there are none, and until when that is believed. */
  const unknown = new Map<string, number>();
  /** Names that it has been asked for. While it is silent, only the first one to ask waits for it. */
  const pending = new Map<string, Promise<LookupAddress[]>>();
  return async (hostname) => {
    const literal = ipLiteral(hostname);
    const addresses = literal === undefined ? await addressesOf(hostname) : [literal];
    const refused = addresses.find((address) => !mayBe(hostname, address, policy));
    if (refused !== undefined) throw blockedAddress(hostname, refused);
    if (addresses.length === 0 && isLocal(hostname)) throw blockedAddress(hostname, "of a local network");
  };

  async function addressesOf(hostname: string): Promise<string[]> {
    if ((unknown.get(hostname) ?? 0) > now()) return [];
    const found = pending.get(hostname) ?? ask(hostname);
    return (await found).map(({ address }) => address);
  }

  /** A failure of the resolver, unlike its answer that there is no such name, is not remembered. */
  function ask(hostname: string): Promise<LookupAddress[]> {
    const resolved = resolveName(hostname, policy).catch((error: NodeJS.ErrnoException) => {
      if (unknown.size >= MAX_REMEMBERED) unknown.clear();
      if (error.code === "ENOTFOUND") unknown.set(hostname, now() + REMEMBER_MS);
      return [];
    });
    const found = within(RESOLVE_TIMEOUT_MS, resolved, []);
    pending.set(hostname, found);
    resolved.finally(() => pending.delete(hostname));
    return found;
  }
}

function isLocal(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, "");
  return !name.includes(".") || LOCAL.some((domain) => name.endsWith(`.${domain}`));
}
