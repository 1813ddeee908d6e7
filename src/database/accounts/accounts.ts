import { type Kysely, sql } from "kysely";
import { type CreditUse, monthOf } from "../../domain/accounts/credits.ts";
import { MAX_RESOURCE_BYTES, resourceFault, storageFault } from "../../domain/accounts/limits.ts";
import { executePrepared } from "../connection/statements.ts";
import type { Database } from "../tables.ts";
import type { GuestScope } from "./guests.ts";

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

/** The credits of a month that were charged: those of an account, with its guests', or of one guest. */
export type MonthOfUsage = { month: string; charged: number };

/** The months up to one, the oldest first, also those without use. @param howMany months */
export async function usageByMonth(
  db: Kysely<Database>,
  { accountId, guestToken }: Pick<GuestScope, "accountId" | "guestToken">,
  month: string,
  howMany: number,
): Promise<MonthOfUsage[]> {
  const { rows } = await sql<MonthOfUsage>`
    select to_char(months.first, 'YYYY-MM') as month, coalesce(u.charged, 0) as charged
    from generate_series(${month}::timestamp - make_interval(months => ${howMany - 1}), ${month}::timestamp, '1 month') months (first)
    left join credit_usage u on u.account_id = ${accountId} and u.guest_token = ${guestToken ?? ""} and u.month = months.first::date
    order by months.first`.execute(db);
  return rows;
}

/** The bytes that the results of an account's reports take, with those that are deleted but not yet removed. */
export async function storedBytes(db: Kysely<Database>, accountId: string): Promise<number> {
  const row = await db
    .selectFrom("reports")
    .select(sql<string>`coalesce(sum(stored_bytes), 0)`.as("bytes"))
    .where("account_id", "=", accountId)
    .executeTakeFirstOrThrow();
  return Number(row.bytes);
}

/** Why an account gets no more reports, as a sentence; undefined while it is within its limit. 0 means no limit. */
export async function storageExcess(
  db: Kysely<Database>,
  accountId: string,
  limit: number,
): Promise<string | undefined> {
  if (limit === 0) return undefined;
  return storageFault(await storedBytes(db, accountId), limit);
}

/** Bytes counted for a resource besides its spec. */
const OVERHEAD_BYTES = 2_000;
/** A report's resource is kept for ten minutes after the report's end. */
const KEPT = "interval '10 minutes'";

/** Why an account gets no more resources, as a sentence; undefined while it is within its limit. */
export async function resourceExcess(
  db: Kysely<Database>,
  accountId: string,
  limit = MAX_RESOURCE_BYTES,
): Promise<string | undefined> {
  const bytes = sql`coalesce(sum(spec_bytes + ${OVERHEAD_BYTES}), 0)`;
  const statement = sql<{ bytes: string }>`
    select (
      select ${bytes} from reports
      where account_id = ${accountId} and deleted_at is null
        and coalesce(completed_at, 'infinity') > now() - ${sql.raw(KEPT)}
    ) + (
      select ${bytes} from schedules where account_id = ${accountId} and deleted_at is null
    ) as bytes`;
  const { rows } = await executePrepared(db, statement);
  return resourceFault(Number(rows[0]?.bytes ?? 0), limit);
}

/** What an operator sees of an account. */
export type AccountSummary = {
  id: string;
  name: string;
  monthly_credits: number | null;
  charged: number;
  reports: number;
  inserted_at: Date;
};

/** All accounts, oldest first, with the credits charged this month. */
export async function listAccounts(db: Kysely<Database>, now: Date): Promise<AccountSummary[]> {
  const { rows } = await sql<AccountSummary>`
    select a.id, a.name, a.monthly_credits, coalesce(u.charged, 0) as charged, a.inserted_at,
      (select count(*)::integer from reports r where r.account_id = a.id and r.deleted_at is null) as reports
    from accounts a
    left join credit_usage u on u.account_id = a.id and u.guest_token = '' and u.month = ${monthOf(now)}::date
    order by a.inserted_at, a.id`.execute(db);
  return rows;
}

/** @returns the new account's id */
export async function createAccount(
  db: Kysely<Database>,
  name: string,
  monthlyCredits: number | null,
): Promise<string> {
  const { id } = await db
    .insertInto("accounts")
    .values({ name, monthly_credits: monthlyCredits })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

/** @returns false when there is no such account */
export async function setMonthlyCredits(db: Kysely<Database>, id: string, credits: number | null): Promise<boolean> {
  const row = await db
    .updateTable("accounts")
    .set({ monthly_credits: credits, updated_at: sql`now()` })
    .where("id", "=", id)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

export async function accountExists(db: Kysely<Database>, id: string): Promise<boolean> {
  return (await db.selectFrom("accounts").select("id").where("id", "=", id).executeTakeFirst()) !== undefined;
}
