/** Who makes an API request: a token's account and, for a guest's token, the guest. */
export type Principal = {
  tokenId: string;
  accountId: string;
  /** The guest account that the token belongs to; null for the account itself. */
  guestToken: string | null;
  scope: "read" | "write";
};

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
