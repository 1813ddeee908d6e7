import { type Kysely, sql } from "kysely";
import type { Database } from "../tables.ts";
import { raiseRevision } from "./muting-revision.ts";

/** The most accounts that one query returns. */
const MAX_ACCOUNTS = 100;
/** Clocks of machines differ: a muting that has ended stays so unless its end is this far ahead, in milliseconds. */
const MAX_CLOCK_SKEW_MS = 60_000;

const isOver = (now: Date) => sql`expires_at <= ${now} and not expired`;
/** It was ended by a clock that was ahead then. */
const isToCome = (now: Date) => sql`expires_at > ${new Date(now.getTime() + MAX_CLOCK_SKEW_MS)} and expired`;

/** Accounts with mutings whose time is over, or that ended before their time; those first that wait longest. */
export async function listExpiring(db: Kysely<Database>, now: Date): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select account_id as id from (
      select account_id, expires_at from mutings where ${isOver(now)}
      union all
      select account_id, expires_at from mutings where ${isToCome(now)}
    ) changing
    group by account_id order by min(expires_at) limit ${MAX_ACCOUNTS}`.execute(db);
  return rows.map(({ id }) => id);
}

/**
 * Ends an account's mutings whose time is over: from then on no result is judged by them, and those that were are
 * outdated. Those that a clock that was ahead has ended silence again. While the account is being changed, nothing
 * happens: the next call ends them.
 *
 * @returns how many have changed
 */
export async function expireMutings(db: Kysely<Database>, accountId: string, now: Date): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const free = await sql`select id from accounts where id = ${accountId} for no key update skip locked`.execute(trx);
    if (free.rows.length === 0) return 0;
    const { numAffectedRows = 0n } = await sql`
      update mutings set expired = not expired, updated_at = ${now}
      where account_id = ${accountId} and (${isOver(now)} or ${isToCome(now)})`.execute(trx);
    if (numAffectedRows > 0n) await raiseRevision(trx, accountId);
    return Number(numAffectedRows);
  });
}
