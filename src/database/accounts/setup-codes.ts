import { type Kysely, sql } from "kysely";
import { secretDigest } from "../secrets.ts";
import type { Database } from "../tables.ts";

/** Stores a code that creates the first owner. */
export async function storeSetupCode(db: Kysely<Database>, code: string, expiresAt: Date): Promise<void> {
  await db
    .insertInto("setup_codes")
    .values({ code_hash: secretDigest(code), expires_at: expiresAt })
    .execute();
}

/** Whether a code works that somebody may have. */
export async function hasSetupCode(db: Kysely<Database>, now: Date): Promise<boolean> {
  const found = db.selectFrom("setup_codes").select("expires_at").where("expires_at", ">", now).limit(1);
  return (await found.executeTakeFirst()) !== undefined;
}

/** Uses up a code. @returns false for one that is unknown or over */
export async function takeSetupCode(db: Kysely<Database>, code: string, now: Date): Promise<boolean> {
  const taken = db.deleteFrom("setup_codes").where("code_hash", "=", secretDigest(code)).where("expires_at", ">", now);
  return (await taken.returning("code_hash").executeTakeFirst()) !== undefined;
}

/** Counts a wrong code against all codes that work, of which those with too many are void. @returns how many tries are left */
export async function countWrongCode(db: Kysely<Database>, max: number, now: Date): Promise<number> {
  const { rows } = await sql<{ tries: number }>`update setup_codes set tries = tries + 1 returning tries`.execute(db);
  await sql`delete from setup_codes where tries >= ${max} or expires_at <= ${now}`.execute(db);
  return Math.max(0, ...rows.map(({ tries }) => max - tries));
}

/** Makes all codes void. */
export async function voidSetupCodes(db: Kysely<Database>): Promise<void> {
  await db.deleteFrom("setup_codes").execute();
}
