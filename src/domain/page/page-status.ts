export const pageStatuses = ["pending", "checking", "checked", "failed"] as const;
export type PageStatus = (typeof pageStatuses)[number];

/** A page has failed if one check has, is checked when all checks are, and is being checked once one has begun. */
export function pageStatus(checks: readonly ("queued" | "leased" | "checked" | "failed")[]): PageStatus {
  if (checks.includes("failed")) return "failed";
  if (checks.every((status) => status === "checked")) return "checked";
  return checks.every((status) => status === "queued") ? "pending" : "checking";
}
