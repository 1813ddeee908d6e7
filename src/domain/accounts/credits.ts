/** The credits used in one month, and their limit; null means no limit. */
export type CreditUse = { limit: number | null; used: number };

/** Whose credits: the account's, and also the guest's when `guestToken` is set. */
export type Payer = { accountId: string; guestToken: string | null };

/** How many of `wanted` credits may be reserved within all limits, the account's and the guest's. */
export function grantable(wanted: number, uses: readonly CreditUse[]): number {
  const free = uses.map(({ limit, used }) => (limit === null ? wanted : limit - used));
  return Math.max(0, Math.min(wanted, ...free));
}

/** The month that a check is charged to when it starts at `now`, as the month's first day in UTC: `2026-01-01`. */
export function monthOf(now: Date): string {
  return `${now.toISOString().slice(0, 7)}-01`;
}

/** A change of the credits of a month. */
export type CreditChange = { month: string; reserved: number; charged: number };

/**
 * What ended checks do with the credits that were reserved for them: one with a result is charged, any other is released.
 *
 * @param ended with the month whose credit is reserved, null for none
 * @returns by month, the earliest first: credits of several months are locked in that order
 */
export function settleCredits(ended: readonly { month: string | null; hasResult: boolean }[]): CreditChange[] {
  const byMonth = Map.groupBy(ended, ({ month }) => month);
  return [...byMonth]
    .flatMap(([month, of]) => {
      if (month === null) return [];
      return { month, reserved: -of.length, charged: of.filter(({ hasResult }) => hasResult).length };
    })
    .sort((a, b) => (a.month < b.month ? -1 : 1));
}
