import { type Kysely, sql } from "kysely";
import { SIGN_IN_WINDOW_MS } from "../../domain/accounts/sign-in-limits.ts";
import type { Database } from "../tables.ts";

/**
 * Counts an attempt to sign in before it is known whether it is right, so that many at once are no more than their limit.
 *
 * @returns how many there were in this window, with this one
 */
export async function countSignIn(db: Kysely<Database>, key: string, now: Date): Promise<number> {
  const endsAt = new Date(now.getTime() + SIGN_IN_WINDOW_MS);
  const { rows } = await sql<{ tries: number }>`
    insert into failed_sign_ins as f (key, tries, ends_at) values (${key}, 1, ${endsAt})
    on conflict (key) do update set
      tries = case when f.ends_at <= ${now} then 1 else f.tries + 1 end,
      ends_at = case when f.ends_at <= ${now} then excluded.ends_at else f.ends_at end
    returning tries`.execute(db);
  await sql`delete from failed_sign_ins where ends_at <= ${now}`.execute(db);
  return rows[0]?.tries ?? 1;
}

/** An attempt was right: it is no failed one. @param all also forgets the failed ones before */
export async function forgetSignIn(db: Kysely<Database>, key: string, all: boolean): Promise<void> {
  if (all) await db.deleteFrom("failed_sign_ins").where("key", "=", key).execute();
  else await sql`update failed_sign_ins set tries = greatest(0, tries - 1) where key = ${key}`.execute(db);
}
