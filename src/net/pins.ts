import { type AddressSpace, mayApproach } from "../domain/addresses/address-space.ts";
import { PageError } from "../domain/failure.ts";
import { type AddressPolicy, spaceOfAddress } from "./addresses.ts";
import { ipLiteral, resolveName } from "./guarded-lookup.ts";
import { portOf } from "./upstream-proxy.ts";

/**
 * Where hosts are, for as long as somebody may remember them: a name that has led to one address space never leads to another
 * one, and one that has led inside keeps its addresses (DNS rebinding).
 */
export type Pins = {
  /** With a resolver that keeps to that. */
  policy: AddressPolicy;
  /** Whether anything inside may be reached at all. If not, every host counts as public. */
  isOpen: boolean;
  /** @throws the resolver's error; PageError `blocked_address` for a name that leads to several spaces */
  spaceOf(hostname: string): Promise<AddressSpace>;
};

const MAX_NAMES = 50_000;

type Known = { addresses: { address: string; family: number }[]; space: AddressSpace };

export function createPins(given: AddressPolicy): Pins {
  if (given.allowed.length === 0) return { policy: given, isOpen: false, spaceOf: async () => "public" };
  const names = new Map<string, Promise<Known>>();
  const ask = async (hostname: string): Promise<Known> => {
    const addresses = await resolveName(hostname, given);
    const [space, ...others] = new Set(addresses.map(({ address }) => spaceOfAddress(address.replace(/%.*$/, ""))));
    if (space === undefined) throw Object.assign(new Error(`${hostname} has no address`), { code: "ENOTFOUND" });
    if (others.length > 0) throw leadsElsewhere(hostname, "to private and to other addresses at once");
    return { addresses, space };
  };
  const first = (hostname: string): Promise<Known> => {
    const asked = ask(hostname);
    if (names.size >= MAX_NAMES) throw leadsElsewhere(hostname, "among too many names");
    names.set(hostname, asked);
    asked.catch(() => names.delete(hostname));
    return asked;
  };
  const resolve = async (hostname: string): Promise<Known["addresses"]> => {
    const pinned = names.get(hostname);
    if (!pinned) return (await first(hostname)).addresses;
    const known = await pinned;
    if (known.space !== "public") return known.addresses;
    const { addresses, space } = await ask(hostname);
    if (space !== known.space) throw leadsElsewhere(hostname, "now to another address space than before");
    return addresses;
  };
  return {
    policy: { ...given, resolve },
    isOpen: true,
    spaceOf: async (hostname) => {
      const literal = ipLiteral(hostname);
      return literal === undefined ? (await (names.get(hostname) ?? first(hostname))).space : spaceOfAddress(literal);
    },
  };
}

/** `from` as in `mayApproach`; what is asked for is given as a URL. */
export type Way = { from: readonly AddressSpace[]; isStep?: boolean };

/**
 * Whether a URL may be requested, and in which space it is. All clients ask before each request, also of redirects, and
 * before a name is resolved.
 *
 * @throws PageError, or the resolver's error
 */
export async function approach({ policy, spaceOf }: Pins, url: URL, way: Way) {
  if (policy.only && !policy.only.has(hostAndPort(url)))
    throw new PageError(
      "blocked_address",
      `${hostAndPort(url)} must not be visited: ALLOWED_ORIGINS does not have it.`,
    );
  const to = await spaceOf(url.hostname).catch((error: unknown): AddressSpace => {
    // What only the operator's proxy can resolve is outside for us (proxy-gate.ts).
    if (error instanceof PageError || !policy.proxyFor?.(url)) throw error;
    return "public";
  });
  const isNamed = policy.named?.has(hostAndPort(url)) ?? false;
  return { to, isAllowed: mayApproach({ ...way, to, isNamed, onlyNamed: policy.onlyNamed ?? false }) };
}

/** As `named` of a policy has it. */
export function hostAndPort(url: URL): string {
  return `${nameOf(url.hostname)}:${portOf(url)}`;
}

/** What to say of a request that comes from outside, or of a host that nobody has named. */
export function noWayIn(url: URL, { onlyNamed }: AddressPolicy): PageError {
  const where = hostAndPort(url);
  const reason = onlyNamed
    ? "only the host and port of the starting URL may be requested in private networks (--untrusted)"
    : "it is in a private network or on this machine, and what asks for it, or redirects to it, is not";
  return new PageError("blocked_address", `${where} must not be visited: ${reason}.`);
}

function nameOf(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, "");
}

function leadsElsewhere(hostname: string, how: string): PageError {
  return new PageError("blocked_address", `${hostname} must not be visited: it leads ${how}.`);
}
