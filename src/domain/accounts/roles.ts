/** What a person is in an account, the least first. */
export const roles = ["reader", "editor", "owner"] as const;
export type Role = (typeof roles)[number];

/**
 * What an operation of the API needs, with what it is for. Each operation names one, or has that of its method
 * (`rightOf`).
 */
export const rights = {
  read: "Read reports, pictures, exports",
  self: "Change what is one's own: sessions, password, second factor",
  run: "Start a run, check pages again",
  change: "Change schedules, limits, who has what",
  common: "Mutings, credentials, deleting many: what holds for all sites",
  share: "Share by link, pin, delete reports",
  receivers: "Receivers of notifications",
  tokens: "Tokens, which may do no more than who made them",
  people: "People, roles, guests",
  keep: "What is kept",
  audit: "The audit log",
} as const satisfies Record<string, string>;
export type Right = keyof typeof rights;

const readers: readonly Right[] = ["read", "self"];
const editors: readonly Right[] = [...readers, "run", "change", "common", "share", "receivers", "tokens"];
const owners = Object.keys(rights) as Right[];

/** What a person can be on single sites: what only an owner may do is never about one site. */
export const siteRoles = ["reader", "editor"] as const satisfies readonly Role[];
/** A role on one site, which its starting URL names. */
export type SiteRole = { starting_url: string; role: (typeof siteRoles)[number] };

/** Rights that are about the account as a whole: a role on single sites never gives them. */
const ofAccount: readonly Right[] = ["common", "receivers", "people", "keep", "audit"];

const granted: Readonly<Record<Role, readonly Right[]>> = { reader: readers, editor: editors, owner: owners };

/**
 * What a token can be bounded to, each with the rights that it gives. A right that is in none of them is never that of a token
 * with bounds: it can make no other token, and so none that may do more than itself.
 */
export const tokenGrants = {
  read: ["read"],
  run: ["run"],
  write: ["change", "common", "receivers"],
  all: ["read", "self", "run", "change", "common", "share", "receivers", "keep", "audit"],
} as const satisfies Record<string, readonly Right[]>;
export type TokenGrant = keyof typeof tokenGrants;
export const grantNames = Object.keys(tokenGrants) as TokenGrant[];

/** The bounds of a token: what it may do, and on which sites, by their starting URLs; null for all. */
export type TokenBounds = { may: readonly TokenGrant[]; sites: readonly string[] | null };

/** Whether a token may do what needs a right; one for single sites nothing that is about the account as a whole. */
export function boundsAllow({ may, sites }: TokenBounds, right: Right): boolean {
  const isGiven = may.some((grant) => (tokenGrants[grant] as readonly Right[]).includes(right));
  return isGiven && (sites === null || !ofAccount.includes(right));
}

/** As many pages may a run have that is started by a token which may only start runs. */
export const MAX_PAGES_OF_BOUNDED_RUN = 50;

/** Whether a run has more pages than a token may start; 0 is no limit. Runs of schedules are as they were planned. */
export function isTooLargeFor(bounds: TokenBounds | null, maxPages: number): boolean {
  const isBounded = bounds !== null && !bounds.may.includes("all");
  return isBounded && (maxPages === 0 || maxPages > MAX_PAGES_OF_BOUNDED_RUN);
}

/** Whether a role has a right: the one place where that is decided. */
export function roleHas(role: Role, right: Right): boolean {
  return granted[role].includes(right);
}

/** Whether a role on a single site has a right there. */
export function siteRoleHas(role: SiteRole["role"], right: Right): boolean {
  return roleHas(role, right) && !ofAccount.includes(right);
}

/** The right that an operation needs if it names none: reading is for everybody, anything else changes something. */
export function rightOf({ method, right }: { method: string; right?: Right | undefined }): Right {
  return right ?? (method === "GET" ? "read" : "change");
}

/** The higher of the roles that somebody was given; null without any. */
export function highestRole(given: readonly (Role | null | undefined)[]): Role | null {
  return roles.findLast((role) => given.includes(role)) ?? null;
}

/** In the operator's table of groups, everybody whom the provider knows. */
const EVERYBODY = "*";

/**
 * The groups of somebody that give a role, and the highest role that they give. What else the provider says is not kept.
 *
 * @param byGroup the operator's table
 */
export function rolesOfGroups(
  groups: readonly string[],
  byGroup: Readonly<Record<string, Role>>,
): { groups: string[]; role: Role | null } {
  const counted = [...new Set([...groups, EVERYBODY])].filter((group) => Object.hasOwn(byGroup, group));
  return { groups: counted, role: highestRole(counted.map((group) => byGroup[group])) };
}

/** What somebody was given, and until when. */
export type Given = {
  role: Role | null;
  group_role: Role | null;
  /** Until when what the groups gave counts without another sign-in. */
  group_role_ends_at: Date | null;
  /** When the access ends. */
  ends_at: Date | null;
  /** On single sites. */
  sites: readonly SiteRole[];
};

/** What somebody may do: on all sites, and besides on single ones. */
export type Roles = { role: Role | null; sites: readonly SiteRole[] };

/** The roles that somebody has at a moment; null for somebody without any, or whose access is over. */
export function rolesAt({ role, group_role, group_role_ends_at, ends_at, sites }: Given, now: Date): Roles | null {
  if (ends_at !== null && ends_at <= now) return null;
  const byGroup = group_role_ends_at !== null && group_role_ends_at <= now ? null : group_role;
  const onAll = highestRole([role, byGroup]);
  return onAll === null && sites.length === 0 ? null : { role: onAll, sites };
}
