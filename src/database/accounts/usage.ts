import { type Kysely, sql } from "kysely";
import type { Database } from "../tables.ts";
import type { GuestScope } from "./guests.ts";

/** The credits used in a month, and the limit; null means no limit. */
export type Usage = { limit: number | null; charged: number; reserved: number };

export type GuestUsage = Usage & { guestToken: string };

/** An account's credits in a month, including its guests'. */
export async function accountUsage(db: Kysely<Database>, accountId: string, month: string): Promise<Usage> {
  const { rows } = await sql<Usage>`
    select a.monthly_credits as limit, coalesce(u.charged, 0) as charged, coalesce(u.reserved, 0) as reserved
    from accounts a
    left join credit_usage u on u.account_id = a.id and u.guest_token = '' and u.month = ${month}::date
    where a.id = ${accountId}`.execute(db);
  const [usage] = rows;
  if (!usage) throw new Error(`There is no account ${accountId}.`);
  return usage;
}

/** The same for each guest that is not deleted or has used credits, of those that the caller may see. */
export async function guestUsages(
  db: Kysely<Database>,
  { accountId, guestToken, scope }: GuestScope,
  month: string,
): Promise<GuestUsage[]> {
  const { rows } = await sql<GuestUsage>`
    select g.token as "guestToken", g.max_usage as limit,
      coalesce(u.charged, 0) as charged, coalesce(u.reserved, 0) as reserved
    from guest_accounts g
    left join credit_usage u on u.account_id = g.account_id and u.guest_token = g.token and u.month = ${month}::date
    where g.account_id = ${accountId} and (${guestToken}::text is null or g.token = ${guestToken})
      and (not g.invitation_open or ${scope} = 'write') and (g.deleted_at is null or u.charged > 0 or u.reserved > 0)
    order by g.inserted_at, g.token`.execute(db);
  return rows;
}
