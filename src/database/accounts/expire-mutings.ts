import { type Kysely, sql } from "kysely";
import type { Database } from "../tables.ts";
import { raiseRevision } from "./muting-revision.ts";

/** The most accounts that one query returns. */
const MAX_ACCOUNTS = 100;
/** Clocks of machines differ: an ended muting stays ended unless its end is at least this many ms in the future. */
const MAX_CLOCK_SKEW_MS = 60_000;

const isOver = (now: Date) => sql`expires_at <= ${now} and not expired`;
/** Mutings that a fast clock ended too early. */
const isToCome = (now: Date) => sql`expires_at > ${new Date(now.getTime() + MAX_CLOCK_SKEW_MS)} and expired`;

/** Accounts with mutings that must end, or that ended too early; those that have waited longest come first. */
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
 * Ends an account's expired mutings, and marks the results judged by them as outdated. Restores mutings that a fast
 * clock ended too early. Skips an account that is being changed: the next call handles it.
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
