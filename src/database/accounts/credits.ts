import { type Kysely, sql } from "kysely";
import { type CreditUse, grantable, type Payer } from "../../domain/accounts/credits.ts";
import type { Database } from "../tables.ts";

/**
 * Reserves up to `wanted` credits of a month, never more than the limits allow. Locks the
 * payer's rows until the transaction ends, so take all other locks first.
 *
 * @returns how many were reserved
 */
export async function reserveCredits(
  trx: Kysely<Database>,
  payer: Payer,
  wanted: number,
  month: string,
): Promise<number> {
  if (wanted === 0) return 0;
  const granted = grantable(wanted, await lockUses(trx, payer, month));
  if (granted > 0) await moveCredits(trx, payer, month, { reserved: granted, charged: 0 });
  return granted;
}

/** How many credits are free, at most `wanted`; their rows stay locked until the transaction ends. */
export async function freeCredits(trx: Kysely<Database>, payer: Payer, wanted: number, month: string): Promise<number> {
  return grantable(wanted, await lockUses(trx, payer, month));
}

/** Adds to what is reserved and charged in a month. */
export async function moveCredits(
  trx: Kysely<Database>,
  { accountId, guestToken }: Payer,
  month: string,
  by: { reserved: number; charged: number },
): Promise<void> {
  // Both rows are locked in the order of their key, which prevents deadlocks.
  await sql`
    update credit_usage u set reserved = u.reserved + ${by.reserved}, charged = u.charged + ${by.charged}
    from (
      select account_id, guest_token, month from credit_usage
      where account_id = ${accountId} and month = ${month}::date and guest_token in ('', ${guestToken ?? ""})
      order by guest_token for update
    ) locked
    where (u.account_id, u.guest_token, u.month) = (locked.account_id, locked.guest_token, locked.month)`.execute(trx);
}

/**
 * Locks the payer's rows in the order of their key, once all of them exist: creating one while
 * holding a lock on another could end in a deadlock.
 */
async function lockUses(
  trx: Kysely<Database>,
  { accountId, guestToken }: Payer,
  month: string,
): Promise<readonly CreditUse[]> {
  const owners = guestToken === null ? [""] : ["", guestToken];
  const mine = sql`account_id = ${accountId} and month = ${month}::date and guest_token = any(${owners})`;
  for (;;) {
    const { rows } = await sql<CreditUse>`
      select u.reserved + u.charged as used, case when u.guest_token = '' then a.monthly_credits else g.max_usage end as limit
      from credit_usage u
      join accounts a on a.id = u.account_id
      left join guest_accounts g on g.token = u.guest_token
      where u.account_id = ${accountId} and u.month = ${month}::date and u.guest_token = any(${owners})
        and (select count(*) from credit_usage where ${mine}) = ${owners.length}
      order by u.guest_token for update of u`.execute(trx);
    if (rows.length === owners.length) return rows;
    // The first use in the month.
    await sql`
      insert into credit_usage (account_id, guest_token, month)
      select ${accountId}, owner, ${month}::date from unnest(${owners}::text[]) as owner order by owner
      on conflict do nothing`.execute(trx);
  }
}
