import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { type Kysely, sql } from "kysely";
import { FIRST_TOKEN_NAME, type Principal } from "../../domain/accounts/principal.ts";
import { isConnectionLoss } from "../connection/connection-loss.ts";
import { executePrepared } from "../connection/prepared.ts";
import type { Database } from "../tables.ts";

/** A new token: 192 random bits after a prefix that identifies leaked tokens. */
export function generateToken(): string {
  return `svt_${randomBytes(24).toString("base64url")}`;
}

/** Only digests are stored. The tokens' own entropy makes a salt or a slow digest unnecessary. */
function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

export type NewToken = {
  accountId: string;
  name: string;
  scope: "read" | "write";
  /** The guest account that the token is for. */
  guestToken?: string;
};

/** Creates a token. It cannot be read again later. */
export async function createToken(db: Kysely<Database>, options: NewToken): Promise<{ id: string; token: string }> {
  const token = generateToken();
  const { id } = await db
    .insertInto("api_tokens")
    .values({
      account_id: options.accountId,
      guest_token: options.guestToken ?? null,
      name: options.name,
      scope: options.scope,
      token_hash: digest(token),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return { id, token };
}

/** The principal of a token; undefined for an unknown token and for a deleted guest's. */
export async function findPrincipal(db: Kysely<Database>, token: string, now: Date): Promise<Principal | undefined> {
  const hash = digest(token);
  const query = db
    .selectFrom("api_tokens")
    .leftJoin("guest_accounts", "guest_accounts.token", "api_tokens.guest_token")
    .select(["id", "api_tokens.account_id", "guest_token", "scope", "token_hash", "last_used_at"])
    .where("token_hash", "=", hash)
    .where("guest_accounts.deleted_at", "is", null);
  const [row] = (await executePrepared(db, query)).rows;
  if (!row || !timingSafeEqual(row.token_hash, hash)) return undefined;
  await recordTokenUse(db, row, now);
  return { tokenId: row.id, accountId: row.account_id, guestToken: row.guest_token, scope: row.scope };
}

/** Records when a token was last used. On a full disk it does nothing, so that reading still works. */
export async function recordTokenUse(
  db: Kysely<Database>,
  { id, last_used_at }: { id: string; last_used_at: Date | null },
  now: Date,
): Promise<void> {
  // Once a minute is precise enough, and avoids a write with every request.
  if (last_used_at && last_used_at >= new Date(now.getTime() - 60_000)) return;
  try {
    await db.updateTable("api_tokens").set({ last_used_at: now }).where("id", "=", id).execute();
  } catch (error) {
    if (!isConnectionLoss(error)) throw error;
  }
}

/** The oldest account. Reports in the release's namespace belong to it by default. */
export async function findFirstAccount(db: Kysely<Database>): Promise<string | undefined> {
  const query = db.selectFrom("accounts").select("id").orderBy("inserted_at").orderBy("id").limit(1);
  return (await query.executeTakeFirst())?.id;
}

/**
 * Creates the first account and its token once, even if it is called repeatedly and by
 * several processes at the same time.
 *
 * @param options.token the configured token; it replaces an earlier first token. When left
 *   out, a token is generated unless there is one.
 * @returns the token when this call created or set it: show it, it is not stored
 */
export async function ensureFirstAccount(
  db: Kysely<Database>,
  options: { token?: string } = {},
): Promise<{ accountId: string; token?: string }> {
  return db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtext('site-validator first account'))`.execute(trx);
    const account =
      (await trx
        .selectFrom("accounts")
        .select("id")
        .orderBy("inserted_at")
        .orderBy("id")
        .limit(1)
        .executeTakeFirst()) ??
      (await trx.insertInto("accounts").values({ name: "default" }).returning("id").executeTakeFirstOrThrow());
    const accountId = account.id;
    const first = await trx
      .selectFrom("api_tokens")
      .select(["id", "token_hash"])
      .where("account_id", "=", accountId)
      .where("name", "=", FIRST_TOKEN_NAME)
      .executeTakeFirst();
    if (first && options.token === undefined) return { accountId };
    const token = options.token ?? generateToken();
    const hash = digest(token);
    if (first?.token_hash.equals(hash)) return { accountId, token };
    if (first) await trx.updateTable("api_tokens").set({ token_hash: hash }).where("id", "=", first.id).execute();
    else
      await trx
        .insertInto("api_tokens")
        .values({ account_id: accountId, name: FIRST_TOKEN_NAME, scope: "write", token_hash: hash })
        .execute();
    return { accountId, token };
  });
}
