import type { Request } from "express";
import type { Kysely } from "kysely";
import { findPrincipal } from "../../../database/accounts/tokens.ts";
import type { Database } from "../../../database/tables.ts";
import { mayDo, type Principal } from "../../../domain/accounts/principal.ts";
import { rightOf, roleHas, roles } from "../../../domain/accounts/roles.ts";
import type { Route } from "../../context.ts";
import { refuse } from "../response/errors.ts";

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
  const principal = token ? await findPrincipal(db, token, now) : undefined;
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

/** @throws RequestError 403 when the caller has not the right that an operation needs */
export function requireRight(principal: Principal, operation: Pick<Route, "method" | "right">): void {
  if (mayDo(principal, operation)) return;
  const { method } = operation;
  if (method !== "GET" && principal.scope !== "write")
    throw refuse(
      403,
      "insufficient_scope",
      "Forbidden",
      `${method} needs a token with the scope "write"; this one has "read".`,
    );
  const needed = roles.filter((role) => roleHas(role, rightOf(operation))).join(" or ");
  throw refuse(
    403,
    "insufficient_role",
    "Forbidden",
    `This needs the role ${needed}; you have ${principal.person?.role}. Ask an owner of the account.`,
  );
}
