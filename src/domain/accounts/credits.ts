/** The credits used in one month, and their limit; null means no limit. */
export type CreditUse = { limit: number | null; used: number };

/** How many of `wanted` credits may be reserved within all limits, the account's and the guest's. */
export function grantable(wanted: number, uses: readonly CreditUse[]): number {
  const free = uses.map(({ limit, used }) => (limit === null ? wanted : limit - used));
  return Math.max(0, Math.min(wanted, ...free));
}

/** The month that a check is charged to when it starts at `now`, as the month's first day in UTC: `2026-01-01`. */
export function monthOf(now: Date): string {
  return `${now.toISOString().slice(0, 7)}-01`;
}
