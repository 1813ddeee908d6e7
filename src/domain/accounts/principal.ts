import { type Right, type Role, rightOf, roleHas } from "./roles.ts";

/** Who makes an API request: a token's account and, for a guest's token, the guest. A person is a row of tokens, too. */
export type Principal = {
  /** Of a person, it is the person's id. */
  tokenId: string;
  accountId: string;
  /** The guest account that the token belongs to; null for the account itself. */
  guestToken: string | null;
  scope: "read" | "write";
  /**
   * The person who is signed in, or who made the token, and the role that this person has now; null for a token that
   * belongs to the account itself.
   */
  person: { id: string; role: Role } | null;
};

/** What an operation needs of who calls it. */
export type Needs = { method: string; right?: Right | undefined };

/**
 * Whether a caller may do something. A token needs the scope to write for anything but reading, and may do no more than
 * the person who made it.
 */
export function mayDo({ scope, person }: Pick<Principal, "scope" | "person">, needs: Needs): boolean {
  return (needs.method === "GET" || scope === "write") && (person === null || roleHas(person.role, rightOf(needs)));
}

/** The fields of a report that decide who may see it. */
type ReportOwnership = { account_id: string; guest_token: string | null; shared: boolean };

/**
 * A caller's access to a report: an `owner` may do everything that its scope allows, a `reader` may see
 * the report because it is shared, and with `none` the caller must not learn that it exists. An
 * account also owns its guests' reports; a guest owns only its own.
 */
export function reportAccess(report: ReportOwnership, caller: Principal | null): "owner" | "reader" | "none" {
  const owns =
    caller !== null &&
    caller.accountId === report.account_id &&
    (caller.guestToken === null || caller.guestToken === report.guest_token);
  if (owns) return "owner";
  return report.shared ? "reader" : "none";
}

/** The name of the token that FIRST_TOKEN sets; no other token may have it. */
export const FIRST_TOKEN_NAME = "first";
