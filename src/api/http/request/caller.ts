import type { Principal } from "../../../domain/accounts/principal.ts";
import type { Context } from "../../context.ts";
import { refuse } from "../response/errors.ts";
import { unauthenticated } from "./authenticate.ts";

/** The caller of a route that requires a token. */
export function callerOf({ caller }: Context): Principal {
  if (caller) return caller;
  throw unauthenticated();
}

/** The caller when it is the account itself. @throws RequestError 403 for a guest */
export function hostOf(context: Context): Principal {
  const caller = callerOf(context);
  if (caller.guestToken === null) return caller;
  throw refuse(403, "host_only", "Forbidden", "Only the host account may do this, not one of its guests.");
}

/** The account of what no guest has: its guests see none of it. @returns for a guest an id that no account has */
export function ownerOf(context: Context): string {
  const { accountId, guestToken } = callerOf(context);
  return guestToken === null ? accountId : NOBODY;
}

const NOBODY = "00000000-0000-0000-0000-000000000000";
