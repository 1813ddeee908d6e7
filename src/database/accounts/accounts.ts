import { type Kysely, sql } from "kysely";
import { type CreditUse, monthOf } from "../../domain/accounts/credits.ts";
import { executePrepared } from "../connection/prepared.ts";
import type { Database } from "../tables.ts";

/** An account's credits in the month of `now`, including its guests'. */
export async function accountCredits(db: Kysely<Database>, accountId: string, now: Date): Promise<CreditUse> {
  const query = db
    .selectFrom("accounts")
    .select(["monthly_credits as limit", usedIn(accountId, "", now).as("used")])
    .where("id", "=", accountId);
  const [use] = (await executePrepared(db, query)).rows;
  if (!use) throw new Error(`There is no account ${accountId}.`);
  return use;
}

/** A guest's credits in the month of `now`. */
export async function guestCredits(
  db: Kysely<Database>,
  accountId: string,
  guestToken: string,
  now: Date,
): Promise<CreditUse> {
  const row = await db
    .selectFrom("guest_accounts")
    .select(["max_usage", usedIn(accountId, guestToken, now).as("used")])
    .where("token", "=", guestToken)
    .executeTakeFirstOrThrow();
  return { used: row.used, limit: row.max_usage };
}

function usedIn(accountId: string, guestToken: string, now: Date) {
  return sql<number>`coalesce((
    select charged + reserved from credit_usage
    where account_id = ${accountId} and guest_token = ${guestToken} and month = ${monthOf(now)}::date
  ), 0)`;
}

/** True when the owner has stored credentials with this id. */
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
