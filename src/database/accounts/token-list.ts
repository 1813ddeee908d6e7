import type { Kysely, Selectable } from "kysely";
import { type Page, type Paginated, readPage } from "../lists.ts";
import type { Database } from "../tables.ts";

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

/** One token, whoever owns it when no scope is given. */
export function findToken(db: Kysely<Database>, id: string, scope?: TokenScope): Promise<TokenRow | undefined> {
  const found = scope ? tokensOf(db, scope) : db.selectFrom("api_tokens");
  return found.select(columns).where("id", "=", id).executeTakeFirst();
}

/** Revokes a token at once. @returns false when there is none */
export async function deleteToken(db: Kysely<Database>, id: string): Promise<boolean> {
  return (await db.deleteFrom("api_tokens").where("id", "=", id).returning("id").executeTakeFirst()) !== undefined;
}
