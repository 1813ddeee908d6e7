import { type Kysely, sql } from "kysely";
import { monthOf } from "../../domain/accounts/credits.ts";
import type { Database } from "../tables.ts";

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
