import { randomBytes } from "node:crypto";
import type { Kysely } from "kysely";
import type { Principal } from "../../domain/accounts/principal.ts";
import type { Database } from "../tables.ts";
import { recordTokenUse } from "./tokens.ts";

/** How long somebody stays signed in, in milliseconds. */
export const SESSION_MS = 30 * 86_400_000;
/** How long a link that signs in can be used, in milliseconds. */
export const SIGN_IN_CODE_MS = 60 * 60_000;
/** Beyond this number of sessions per token, the oldest one ends. */
const MAX_SESSIONS = 100;

/** 256 random bits. */
function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** Signs in with a token. @returns the session's secret, which is not stored */
export async function createSession(db: Kysely<Database>, tokenId: string, now: Date): Promise<string> {
  const secret = newSecret();
  await db
    .insertInto("web_sessions")
    .values({
      secret_hash: digest(secret),
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
    .where("secret_hash", "=", digest(secret))
    .where("expires_at", ">", now)
    .where("guest_accounts.deleted_at", "is", null)
    .executeTakeFirst();
  if (!row) return undefined;
  await recordTokenUse(db, row, now);
  return { tokenId: row.id, accountId: row.account_id, guestToken: row.guest_token, scope: row.scope };
}

/** Signs out. */
export async function deleteSession(db: Kysely<Database>, secret: string): Promise<void> {
  await db.deleteFrom("web_sessions").where("secret_hash", "=", digest(secret)).execute();
}

/** A code that signs in once, as the token does. @returns the code, which is not stored */
export async function createSignInCode(db: Kysely<Database>, tokenId: string, now: Date): Promise<string> {
  const code = newSecret();
  const expires_at = new Date(now.getTime() + SIGN_IN_CODE_MS);
  await db.deleteFrom("sign_in_codes").where("expires_at", "<=", now).execute();
  await db
    .insertInto("sign_in_codes")
    .values({ code_hash: digest(code), token_id: tokenId, expires_at })
    .execute();
  return code;
}

/** Uses up a code. @returns its token's id; undefined for one that is unknown, used or too old */
export async function redeemSignInCode(db: Kysely<Database>, code: string, now: Date): Promise<string | undefined> {
  const row = await db
    .deleteFrom("sign_in_codes")
    .where("code_hash", "=", digest(code))
    .where("expires_at", ">", now)
    .returning("token_id")
    .executeTakeFirst();
  return row?.token_id;
}
