import { boundsAllow, type Right, type Roles, rightOf, roleHas, siteRoleHas, type TokenBounds } from "./roles.ts";

/** Who makes an API request: a token's account and, for a guest's token, the guest. A person is a row of tokens, too. */
export type Principal = {
  /** Of a person, it is the person's id. */
  tokenId: string;
  accountId: string;
  /** The guest account that the token belongs to; null for the account itself. */
  guestToken: string | null;
  scope: "read" | "write";
  /** What a token is bounded to, with its sites of this moment; null for one without bounds, and for people. */
  bounds: TokenBounds | null;
  /** When the token ends: it can make none that ends later. */
  expiresAt?: Date | null;
  /**
   * The person who is signed in, or who made the token, and the roles that this person has now; null for a token that
   * belongs to the account itself.
   */
  person: ({ id: string } & Roles) | null;
  /**
   * The only sites that are there for the caller, by their starting URLs; null: all. Where an operation is done, these are the
   * sites on which the caller has the right for it (`callerFor`).
   */
  sites: readonly string[] | null;
};

/**
 * What is read and written for a caller: what belongs to the account, to one guest of it, or to some of its sites. Whatever lists
 * or finds something takes all three, so that no query can forget one.
 */
export type Whose = Pick<Principal, "accountId" | "guestToken" | "sites">;

/** What an operation needs of who calls it. */
export type Needs = { method: string; right?: Right | undefined };

/**
 * Whether a caller may do something. A token needs the scope to write for anything but reading, and may do no more than its
 * bounds and the person who made it.
 */
export function mayDo(caller: Rights, needs: Needs): boolean {
  const sites = sitesFor(caller, needs);
  return sites === null || (sites !== undefined && sites.length > 0);
}

/** The caller with the sites on which it may do something; undefined when that is nowhere. */
export function callerFor(caller: Principal, needs: Needs): Principal | undefined {
  const sites = sitesFor(caller, needs);
  return sites === undefined ? undefined : { ...caller, sites };
}

/** What decides which rights a caller has. */
type Rights = Pick<Principal, "scope" | "person" | "bounds">;

function sitesFor({ scope, person, bounds }: Rights, needs: Needs) {
  if (needs.method !== "GET" && scope !== "write") return undefined;
  if (bounds && !boundsAllow(bounds, rightOf(needs))) return undefined;
  const sites = sitesOfRole(person, rightOf(needs));
  const bounded = bounds?.sites ?? null;
  const both = sites === undefined ? undefined : onBoth(sites, bounded);
  // A token whose tag no site has may come, and finds nothing; one for sites on which its maker has no such right may not.
  return both?.length === 0 && bounded?.length !== 0 ? undefined : both;
}

/** The sites that two of which each leaves out some have in common; null for all. */
export function onBoth(some: readonly string[] | null, others: readonly string[] | null): readonly string[] | null {
  if (some === null || others === null) return some ?? others;
  return some.filter((url) => others.includes(url));
}

/** The higher role counts: one on all sites that has the right leaves no site out. */
function sitesOfRole(person: Principal["person"], right: Right): readonly string[] | null | undefined {
  if (person === null) return null;
  if (person.role !== null && roleHas(person.role, right)) return null;
  const having = person.sites.filter(({ role }) => siteRoleHas(role, right));
  return having.length === 0 ? undefined : having.map(({ starting_url }) => starting_url);
}

/** The caller where everything is about one site: what a role or a token's bounds give on another one, they do not give here. */
export function callerOn(caller: Principal, startingUrl: string): Principal {
  const { person, bounds } = caller;
  return {
    ...caller,
    bounds: bounds && { ...bounds, sites: bounds.sites?.filter((url) => url === startingUrl) ?? null },
    person: person && { ...person, sites: person.sites.filter((site) => site.starting_url === startingUrl) },
  };
}

/** The fields of a report that decide who may see it. */
type ReportOwnership = { account_id: string; guest_token: string | null; shared: boolean; starting_url: string };

/**
 * A caller's access to a report: an `owner` may do everything that its scope allows, a `reader` may see
 * the report because it is shared, and with `none` the caller must not learn that it exists. An
 * account also owns its guests' reports; a guest owns only its own, and whoever has some sites only theirs.
 */
export function reportAccess(report: ReportOwnership, caller: Principal | null): "owner" | "reader" | "none" {
  const owns =
    caller !== null &&
    caller.accountId === report.account_id &&
    (caller.guestToken === null || caller.guestToken === report.guest_token) &&
    (caller.sites === null || (report.guest_token === null && caller.sites.includes(report.starting_url)));
  if (owns) return "owner";
  return report.shared ? "reader" : "none";
}

/** The name of the token that FIRST_TOKEN sets; no other token may have it. */
export const FIRST_TOKEN_NAME = "first";
