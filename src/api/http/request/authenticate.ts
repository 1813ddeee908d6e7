import type { Request } from "express";
import type { Kysely } from "kysely";
import { findSiteOf } from "../../../database/accounts/site-roles.ts";
import { findPrincipal } from "../../../database/accounts/tokens.ts";
import type { Database } from "../../../database/tables.ts";
import { callerFor, type Principal } from "../../../domain/accounts/principal.ts";
import { boundsAllow, grantNames, rightOf, roleHas, roles, siteRoles } from "../../../domain/accounts/roles.ts";
import type { Route } from "../../context.ts";
import { notFound, refuse } from "../response/errors.ts";
import { originOf } from "./origin.ts";

const CHALLENGE = 'Bearer realm="site-validator"';

/** The error for a request without credentials where they are required. */
export function unauthenticated(): Error {
  return refuse(
    401,
    "unauthenticated",
    "Authentication required",
    "Send a token: Authorization: Bearer <token>.",
    { header: "Authorization" },
    { "WWW-Authenticate": CHALLENGE },
  );
}

/**
 * The caller of the request; null without credentials.
 *
 * @throws RequestError 401 for credentials that are not a valid token; they are never ignored
 */
export async function authenticate(request: Request, db: Kysely<Database>, now: Date): Promise<Principal | null> {
  const header = request.get("authorization");
  if (header === undefined) return null;
  const token = /^Bearer +([A-Za-z0-9._~+/=-]{1,512})$/i.exec(header.trim())?.[1];
  const principal = token ? await findPrincipal(db, token, now, originOf(request, "api").address) : undefined;
  if (principal) return principal;
  throw refuse(
    401,
    "invalid_token",
    "Invalid token",
    "The Authorization header does not hold a valid token. Send Authorization: Bearer <token>.",
    { header: "Authorization" },
    { "WWW-Authenticate": `${CHALLENGE}, error="invalid_token"` },
  );
}

/**
 * The caller as an operation sees it: with the sites on which it has the right for that.
 *
 * @throws RequestError 403 when it has the right nowhere, or on single sites only and the operation is about the whole account
 */
export function requireRight(principal: Principal, operation: Pick<Route, "method" | "right" | "site">): Principal {
  const caller = callerFor(principal, operation);
  const { method, site } = operation;
  if (caller && (caller.sites === null || site !== undefined)) return caller;
  // The scope of a token with bounds follows from these: they say more.
  if (principal.bounds && isOutOfBounds(principal.bounds, operation, caller))
    throw outOfBounds(principal.bounds, operation);
  if (method !== "GET" && principal.scope !== "write")
    throw refuse(
      403,
      "insufficient_scope",
      "Forbidden",
      `${method} needs a token with the scope "write"; this one has "read".`,
    );
  const needed = roles.filter((role) => roleHas(role, rightOf(operation))).join(" or ");
  throw insufficientRole(
    caller
      ? `This is about the whole account, and needs the role ${needed} on all sites; you have one on single sites.`
      : `This needs the role ${needed}; you have ${ownRoles(principal)}.`,
  );
}

type Bounds = NonNullable<Principal["bounds"]>;

/** It is the token's bounds that refuse the operation, not the role of who made it. */
const isOutOfBounds = (bounds: Bounds, operation: Pick<Route, "method" | "right">, caller: Principal | undefined) =>
  !boundsAllow(bounds, rightOf(operation)) || (caller !== undefined && bounds.sites !== null);

function outOfBounds({ may, sites }: Bounds, operation: Pick<Route, "method" | "right">): Error {
  const right = rightOf(operation);
  const giving = grantNames.filter((grant) => boundsAllow({ may: [grant], sites: null }, right));
  const needed = giving.length === 0 ? "a token without bounds" : `a token that may ${giving.join(" or ")}`;
  const isGiven = giving.some((grant) => may.includes(grant));
  const where = sites !== null && isGiven ? ", for all sites" : "";
  const detail = `This needs ${needed}${where}; this one may ${may.join(", ")}${sites === null ? "" : ", on single sites"}.`;
  return refuse(403, "insufficient_scope", "Forbidden", detail);
}

/** The roles of a person, in words. */
function ownRoles({ person }: Principal): string {
  const onSites = siteRoles.filter((role) => person?.sites.some((one) => one.role === role));
  return [person?.role, ...onSites.map((role) => `${role} on single sites`)].filter(Boolean).join(" and ");
}

function insufficientRole(what: string): Error {
  return refuse(403, "insufficient_role", "Forbidden", `${what} Ask an owner of the account.`);
}

/**
 * Holds whoever has a right on single sites to them, before the operation begins. What cannot be found is left to the operation,
 * which looks for it on these sites alone.
 *
 * @throws RequestError 404 for what belongs to a site on which the caller has no role, 403 for one on which it has a lower one
 */
export async function requireSite(
  db: Kysely<Database>,
  caller: Principal,
  { access, site }: Pick<Route, "access" | "site">,
  params: Readonly<Record<string, string>>,
): Promise<void> {
  // A report that is shared is there for everybody: whether it is, only what reads it knows.
  if (caller.sites === null || access !== "account" || site === undefined || site === "caller" || site === "none")
    return;
  const id = params[`${site}_id`] ?? "";
  const { role = null, sites = [] } = caller.person ?? {};
  const url = await findSiteOf(db, caller, site, id);
  if (url === undefined || caller.sites.includes(url)) return;
  if (caller.bounds?.sites?.includes(url) === false) throw notFound(site.replace("_", " "));
  const own = sites.find(({ starting_url }) => starting_url === url)?.role ?? role;
  if (own === null) throw notFound(site.replace("_", " "));
  throw insufficientRole(`You have the role ${own} on this site, which does not suffice for this.`);
}
