/** Who makes an API request: a token's account and, for a guest's token, the guest. */
export type Principal = {
  tokenId: string;
  accountId: string;
  /** The guest account that the token belongs to; null for the account itself. */
  guestToken: string | null;
  scope: "read" | "write";
};

/** What decides who may see a report. */
type ReportOwnership = { account_id: string; guest_token: string | null; shared: boolean };

/**
 * What a caller may do with a report: `owner` everything that its scope allows,
 * `reader` look at it because it is shared, `none` not even know that it exists. An
 * account owns its guests' reports; a guest owns its own only.
 */
export function reportAccess(report: ReportOwnership, caller: Principal | null): "owner" | "reader" | "none" {
  const owns =
    caller !== null &&
    caller.accountId === report.account_id &&
    (caller.guestToken === null || caller.guestToken === report.guest_token);
  if (owns) return "owner";
  return report.shared ? "reader" : "none";
}
