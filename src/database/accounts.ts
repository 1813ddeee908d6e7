import { type Kysely, sql } from "kysely";
import type { Database } from "./tables.ts";

/** Credits of one month: used are those charged and those reserved for running checks. */
export type Credits = { used: number; limit: number | null };

/** An account's credits in the month of `now`, its guests' included. */
export async function accountCredits(db: Kysely<Database>, accountId: string, now: Date): Promise<Credits> {
  const row = await db
    .selectFrom("accounts")
    .select(["monthly_credits", usedIn(accountId, "", now).as("used")])
    .where("id", "=", accountId)
    .executeTakeFirstOrThrow();
  return { used: row.used, limit: row.monthly_credits };
}

/** A guest's credits in the month of `now`. */
export async function guestCredits(
  db: Kysely<Database>,
  accountId: string,
  guestToken: string,
  now: Date,
): Promise<Credits> {
  const row = await db
    .selectFrom("guest_accounts")
    .select(["max_usage", usedIn(accountId, guestToken, now).as("used")])
    .where("token", "=", guestToken)
    .executeTakeFirstOrThrow();
  return { used: row.used, limit: row.max_usage };
}

function usedIn(accountId: string, guestToken: string, now: Date) {
  const month = `${now.toISOString().slice(0, 7)}-01`;
  return sql<number>`coalesce((
    select charged + reserved from credit_usage
    where account_id = ${accountId} and guest_token = ${guestToken} and month = ${month}::date
  ), 0)`;
}

/** True when the account has stored credentials of this id. */
export async function hasBasicAuth(
  db: Kysely<Database>,
  owner: { accountId: string; guestToken: string | null },
  id: string,
): Promise<boolean> {
  const row = await db
    .selectFrom("basic_auths")
    .select("id")
    .where("id", "=", id)
    .where("account_id", "=", owner.accountId)
    .where((eb) => (owner.guestToken === null ? eb.lit(true) : eb("guest_token", "=", owner.guestToken)))
    .executeTakeFirst();
  return row !== undefined;
}
