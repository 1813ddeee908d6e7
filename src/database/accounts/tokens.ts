import { randomBytes, timingSafeEqual } from "node:crypto";
import { type Kysely, type Selectable, sql } from "kysely";
import { FIRST_TOKEN_NAME, type Principal } from "../../domain/accounts/principal.ts";
import { isConnectionLoss } from "../connection/errors.ts";
import { executePrepared } from "../connection/statements.ts";
import { type Page, type Paginated, readPage } from "../lists.ts";
import { newSecret, secretDigest } from "../secrets.ts";
import type { Database } from "../tables.ts";

/** A new token: 192 random bits after a prefix that identifies leaked tokens. */
export function generateToken(): string {
  return newSecret("svt");
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
      token_hash: secretDigest(token),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return { id, token };
}

/** The principal of a token; undefined for an unknown token and for a deleted guest's. */
export async function findPrincipal(db: Kysely<Database>, token: string, now: Date): Promise<Principal | undefined> {
  const hash = secretDigest(token);
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
async function recordTokenUse(
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
    const hash = secretDigest(token);
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

/** A token without its digest, which no caller needs. */
export type TokenRow = Omit<Selectable<Database["api_tokens"]>, "token_hash">;

/** All tokens of an account, or those of one guest. */
export type TokenScope = { accountId: string; guestToken: string | null };

const columns = ["id", "account_id", "guest_token", "name", "scope", "last_used_at", "inserted_at"] as const;

function tokensOf(db: Kysely<Database>, { accountId, guestToken }: TokenScope) {
  const found = db.selectFrom("api_tokens").where("account_id", "=", accountId);
  return guestToken === null ? found : found.where("guest_token", "=", guestToken);
}

/** Tokens, oldest first. */
export async function listTokens(db: Kysely<Database>, scope: TokenScope, page: Page): Promise<Paginated<TokenRow>> {
  const found = tokensOf(db, scope);
  const rows = found.select(columns).orderBy("inserted_at").orderBy("id");
  return readPage(found, rows, page);
}

/** One token; of any owner when no scope is given. */
export function findToken(db: Kysely<Database>, id: string, scope?: TokenScope): Promise<TokenRow | undefined> {
  const found = scope ? tokensOf(db, scope) : db.selectFrom("api_tokens");
  return found.select(columns).where("id", "=", id).executeTakeFirst();
}

/** Revokes a token at once. @returns false when there is none */
export async function deleteToken(db: Kysely<Database>, id: string): Promise<boolean> {
  return (await db.deleteFrom("api_tokens").where("id", "=", id).returning("id").executeTakeFirst()) !== undefined;
}

/** How long somebody stays signed in, in milliseconds. */
export const SESSION_MS = 30 * 86_400_000;
/** How long a link that signs in can be used, in milliseconds. */
export const SIGN_IN_CODE_MS = 60 * 60_000;
/** Beyond this number of sessions per token, the oldest one ends. */
const MAX_SESSIONS = 100;

/** 256 random bits. */
function newSessionSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** Signs in with a token. @returns the session's secret, which is not stored */
export async function createSession(db: Kysely<Database>, tokenId: string, now: Date): Promise<string> {
  const secret = newSessionSecret();
  await db
    .insertInto("web_sessions")
    .values({
      secret_hash: secretDigest(secret),
      token_id: tokenId,
      inserted_at: now,
      expires_at: new Date(now.getTime() + SESSION_MS),
    })
    .execute();
  await db
    .deleteFrom("web_sessions")
    .where((eb) =>
      eb.or([
        eb("expires_at", "<=", now),
        eb(
          "secret_hash",
          "in",
          eb
            .selectFrom("web_sessions as s")
            .select("s.secret_hash")
            .where("s.token_id", "=", tokenId)
            .orderBy("s.inserted_at", "desc")
            .orderBy("s.secret_hash")
            .offset(MAX_SESSIONS),
        ),
      ]),
    )
    .execute();
  return secret;
}

/** Who is signed in with a session; undefined when it is over, or its token is revoked. */
export async function findSession(db: Kysely<Database>, secret: string, now: Date): Promise<Principal | undefined> {
  const row = await db
    .selectFrom("web_sessions")
    .innerJoin("api_tokens", "api_tokens.id", "web_sessions.token_id")
    .leftJoin("guest_accounts", "guest_accounts.token", "api_tokens.guest_token")
    .select(["api_tokens.id", "api_tokens.account_id", "api_tokens.guest_token", "api_tokens.scope", "last_used_at"])
    .where("secret_hash", "=", secretDigest(secret))
    .where("expires_at", ">", now)
    .where("guest_accounts.deleted_at", "is", null)
    .executeTakeFirst();
  if (!row) return undefined;
  await recordTokenUse(db, row, now);
  return { tokenId: row.id, accountId: row.account_id, guestToken: row.guest_token, scope: row.scope };
}

/** Signs out. */
export async function deleteSession(db: Kysely<Database>, secret: string): Promise<void> {
  await db.deleteFrom("web_sessions").where("secret_hash", "=", secretDigest(secret)).execute();
}

/** A code that signs in once, as the token does. @returns the code, which is not stored */
export async function createSignInCode(db: Kysely<Database>, tokenId: string, now: Date): Promise<string> {
  const code = newSessionSecret();
  const expires_at = new Date(now.getTime() + SIGN_IN_CODE_MS);
  await db.deleteFrom("sign_in_codes").where("expires_at", "<=", now).execute();
  await db
    .insertInto("sign_in_codes")
    .values({ code_hash: secretDigest(code), token_id: tokenId, expires_at })
    .execute();
  return code;
}

/** Uses up a code. @returns its token's id; undefined for one that is unknown, used or too old */
export async function redeemSignInCode(db: Kysely<Database>, code: string, now: Date): Promise<string | undefined> {
  const row = await db
    .deleteFrom("sign_in_codes")
    .where("code_hash", "=", secretDigest(code))
    .where("expires_at", ">", now)
    .returning("token_id")
    .executeTakeFirst();
  return row?.token_id;
}
