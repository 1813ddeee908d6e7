import { randomBytes, timingSafeEqual } from "node:crypto";
import { type Kysely, type RawBuilder, type Selectable, sql } from "kysely";
import { FIRST_TOKEN_NAME, onBoth, type Principal } from "../../domain/accounts/principal.ts";
import { type Given, rolesAt, type TokenGrant } from "../../domain/accounts/roles.ts";
import { PERSON_SESSION_MS } from "../../domain/accounts/sign-in-limits.ts";
import { TOKEN_ENDS_SOON_DAYS, TOKEN_UNUSED_DAYS } from "../../domain/accounts/token-ends.ts";
import { DAY_MS } from "../../domain/calendar-day.ts";
import { isConnectionLoss } from "../connection/errors.ts";
import { executePrepared } from "../connection/statements.ts";
import { type Page, type Paginated, readPage } from "../lists.ts";
import { newSecret, secretDigest, shownOf } from "../secrets.ts";
import type { Database } from "../tables.ts";
import { sitesOf } from "./site-roles.ts";
import { countUse, recentRequests } from "./token-uses.ts";

/** A new token: 192 random bits after a prefix that identifies leaked tokens. */
export function generateToken(): string {
  return newSecret("svt");
}

/** The name of a token, for what says who did it; null without a token. */
export function nameOfToken(id: string | null): RawBuilder<string> {
  return sql<string>`(select name from api_tokens where id = ${id}::uuid)`;
}

/** The sites are those that are named or have one of the tags; all when both are null. */
export type NewBounds = {
  may: readonly TokenGrant[];
  siteUrls: readonly string[] | null;
  siteTags: readonly string[] | null;
};

export type NewToken = {
  accountId: string;
  name: string;
  scope: "read" | "write";
  /** What it is bounded to, besides by its scope; without it, it has no such bounds. */
  bounds?: NewBounds | null;
  /** The guest account that the token is for. */
  guestToken?: string;
  /** The id of the person who makes it: it ends with this person, and may not do more. */
  madeBy?: string | undefined;
  /** null for no end. */
  expiresAt?: Date | null;
};

/** Creates a token. It cannot be read again later. */
export async function createToken(db: Kysely<Database>, options: NewToken): Promise<{ id: string; token: string }> {
  const token = generateToken();
  const { id } = await db
    .insertInto("api_tokens")
    .values({
      account_id: options.accountId,
      guest_token: options.guestToken ?? null,
      made_by: options.madeBy ?? null,
      name: options.name,
      scope: options.scope,
      may: textsOrNull(options.bounds?.may),
      site_urls: textsOrNull(options.bounds?.siteUrls),
      site_tags: textsOrNull(options.bounds?.siteTags),
      token_hash: secretDigest(token),
      shown: shownOf(token),
      expires_at: options.expiresAt ?? null,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return { id, token };
}

const textsOrNull = (texts: readonly string[] | null | undefined) => (texts ? [...texts] : null);

/** Gives a token a new secret: the one before is not accepted any more. */
export async function renewToken(db: Kysely<Database>, id: string): Promise<string> {
  const token = generateToken();
  await db
    .updateTable("api_tokens")
    .set({ token_hash: secretDigest(token), shown: shownOf(token) })
    .where("id", "=", id)
    .where("kind", "=", "token")
    .execute();
  return token;
}

/** @param expiresAt null for no end */
export async function setTokenEnd(db: Kysely<Database>, id: string, expiresAt: Date | null): Promise<void> {
  await db
    .updateTable("api_tokens")
    .set({ expires_at: expiresAt })
    .where("id", "=", id)
    .where("kind", "=", "token")
    .execute();
}

/** What says who acts: a row of tokens, its guest, and the person that it is or that made it. */
function actors(db: Kysely<Database>) {
  return db
    .selectFrom("api_tokens")
    .leftJoin("guest_accounts", "guest_accounts.token", "api_tokens.guest_token")
    .leftJoin("people", (join) =>
      join.on((eb) => eb("people.id", "=", eb.fn.coalesce("api_tokens.made_by", "api_tokens.id"))),
    )
    .select(["api_tokens.id", "api_tokens.account_id", "api_tokens.guest_token", "api_tokens.scope"])
    .select(["api_tokens.last_used_at", "kind", "made_by", "people.role", "people.group_role"])
    .select(["people.group_role_ends_at", "people.ends_at", "api_tokens.expires_at", sitesOf("people.id").as("sites")])
    .select(["api_tokens.may", sitesOfToken.as("token_sites")])
    .where("guest_accounts.deleted_at", "is", null);
}

/** The sites that a token is for at this moment: one that gets the tag is among them from the next request on. */
const sitesOfToken = sql<
  string[] | null
>`(case when site_urls is null and site_tags is null then null else coalesce(site_urls, '{}') || array(
  select s.starting_url from sites s where s.account_id = api_tokens.account_id and s.guest_token = '' and s.tags && site_tags
) end)`;

type Actor = {
  id: string;
  account_id: string;
  guest_token: string | null;
  scope: "read" | "write";
  kind: "token" | "person";
  made_by: string | null;
  expires_at: Date | null;
  may: string[] | null;
  token_sites: string[] | null;
} & Given;

/** Who acts; undefined for a token that is over, for a person without a role, or whose access is over, and for what such a person made. */
function principalOf(row: Actor, now: Date): Principal | undefined {
  if (row.expires_at !== null && row.expires_at <= now) return undefined;
  const bounds = row.may && { may: row.may as TokenGrant[], sites: row.token_sites };
  const actor = {
    bounds,
    ...{ tokenId: row.id, accountId: row.account_id, guestToken: row.guest_token },
    ...{ scope: row.scope, expiresAt: row.expires_at },
  };
  const id = row.kind === "person" ? row.id : row.made_by;
  if (id === null) return { ...actor, person: null, sites: row.token_sites };
  const roles = rolesAt(row, now);
  if (roles === null) return undefined;
  const sites = roles.role === null ? roles.sites.map(({ starting_url }) => starting_url) : null;
  return { ...actor, person: { id, ...roles }, sites: onBoth(sites, row.token_sites) };
}

/**
 * The principal of a token; undefined for an unknown token, one that is over, and a deleted guest's.
 *
 * @param address from where it is sent
 */
export async function findPrincipal(
  db: Kysely<Database>,
  token: string,
  now: Date,
  address: string | null = null,
): Promise<Principal | undefined> {
  const hash = secretDigest(token);
  const [row] = (await executePrepared(db, actors(db).select("token_hash").where("token_hash", "=", hash))).rows;
  if (!row?.token_hash || !timingSafeEqual(row.token_hash, hash)) return undefined;
  const principal = principalOf(row, now);
  if (principal) await recordTokenUse(db, row, { now, address });
  return principal;
}

/** Records that a token was used. On a full disk it does nothing, so that reading still works. */
async function recordTokenUse(...[db, row, use]: Parameters<typeof countUse>): Promise<void> {
  try {
    await countUse(db, row, use);
  } catch (error) {
    if (!isConnectionLoss(error)) throw error;
  }
}

/** The oldest account. Reports in the release's namespace belong to it by default. */
export async function findFirstAccount(db: Kysely<Database>): Promise<string | undefined> {
  const query = db.selectFrom("accounts").select("id").orderBy("inserted_at").orderBy("id").limit(1);
  return (await query.executeTakeFirst())?.id;
}

/** The first account, which is created if there is none: of two transactions at once, the second finds it. */
export async function firstAccount(trx: Kysely<Database>): Promise<string> {
  await sql`select pg_advisory_xact_lock(hashtext('site-validator first account'))`.execute(trx);
  const found = await findFirstAccount(trx);
  if (found !== undefined) return found;
  return (await trx.insertInto("accounts").values({ name: "default" }).returning("id").executeTakeFirstOrThrow()).id;
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
    const accountId = await firstAccount(trx);
    const first = await trx
      .selectFrom("api_tokens")
      .select(["id", "token_hash"])
      .where("account_id", "=", accountId)
      .where("name", "=", FIRST_TOKEN_NAME)
      .where("kind", "=", "token")
      .executeTakeFirst();
    if (first && options.token === undefined) return { accountId };
    const token = options.token ?? generateToken();
    const hash = secretDigest(token);
    if (first?.token_hash?.equals(hash)) return { accountId, token };
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
export type TokenRow = Omit<Selectable<Database["api_tokens"]>, "token_hash" | "kind"> & {
  /** Who made it; null for a token of the account, or of a guest. */
  maker: string | null;
  /** How many requests it made in the last 30 days. */
  recent_requests: number;
};

/** Which tokens: those that end within 14 days, those that were not used for 90, or all. */
export type TokenFilter = { ends?: "soon" | undefined; used?: "not" | undefined };

/** All tokens of an account, those of one guest, those that a person made who is no owner, or the one with bounds that asks. */
export type TokenScope = Pick<Principal, "accountId" | "guestToken"> &
  Partial<Pick<Principal, "person" | "bounds" | "tokenId">>;

const columns = [
  ...(["id", "account_id", "guest_token", "name", "made_by", "scope", "may", "site_urls", "site_tags"] as const),
  ...(["shown", "expires_at"] as const),
  ...(["last_used_at", "last_address", "inserted_at"] as const),
] as const;
const maker = sql<string | null>`(select m.name from api_tokens m where m.id = api_tokens.made_by)`.as("maker");

/** Tokens alone: people have rows of the same table, and lists of their own. */
function onlyTokens(db: Kysely<Database>) {
  return db.selectFrom("api_tokens").where("kind", "=", "token");
}

function tokensOf(db: Kysely<Database>, { accountId, guestToken, person, bounds, tokenId }: TokenScope) {
  const found = onlyTokens(db).where("account_id", "=", accountId);
  if (bounds) return found.where("id", "=", tokenId ?? null);
  if (person && person.role !== "owner") return found.where("made_by", "=", person.id);
  return guestToken === null ? found : found.where("guest_token", "=", guestToken);
}

/** Tokens, oldest first. */
export async function listTokens(
  db: Kysely<Database>,
  scope: TokenScope,
  page: Page,
  now: Date,
  { ends, used }: TokenFilter = {},
): Promise<Paginated<TokenRow>> {
  let found = tokensOf(db, scope);
  if (ends) found = found.where(endsSoon(now));
  if (used) found = found.where(isUnused(now));
  const rows = found.select(columns).select([maker, recentRequests(now).as("recent_requests")]);
  return readPage(found, rows.orderBy("inserted_at").orderBy("id"), page);
}

/** How many tokens there are of each kind that lists filter by. */
export async function countTokens(db: Kysely<Database>, scope: TokenScope, now: Date) {
  return tokensOf(db, scope)
    .select((eb) => [
      eb.cast<number>(eb.fn.countAll(), "integer").as("all"),
      sql<number>`(count(*) filter (where ${endsSoon(now)}))::integer`.as("end_soon"),
      sql<number>`(count(*) filter (where ${isUnused(now)}))::integer`.as("not_used"),
    ])
    .executeTakeFirstOrThrow();
}

const endsSoon = (now: Date) => {
  const soon = new Date(now.getTime() + TOKEN_ENDS_SOON_DAYS * DAY_MS);
  return sql<boolean>`(expires_at > ${now} and expires_at <= ${soon})`;
};
/** Since it was made, if it was never used. */
const isUnused = (now: Date) =>
  sql<boolean>`(coalesce(last_used_at, inserted_at) <= ${new Date(now.getTime() - TOKEN_UNUSED_DAYS * DAY_MS)})`;

/** One token; of any owner when no scope is given. */
export function findToken(
  db: Kysely<Database>,
  id: string,
  now: Date,
  scope?: TokenScope,
): Promise<TokenRow | undefined> {
  const found = scope ? tokensOf(db, scope) : onlyTokens(db);
  return found
    .select(columns)
    .select([maker, recentRequests(now).as("recent_requests")])
    .where("id", "=", id)
    .executeTakeFirst();
}

/** Revokes a token at once. @returns false when there is none */
export async function deleteToken(db: Kysely<Database>, id: string): Promise<boolean> {
  const gone = db.deleteFrom("api_tokens").where("id", "=", id).where("kind", "=", "token");
  return (await gone.returning("id").executeTakeFirst()) !== undefined;
}

/** How long somebody stays signed in with a token, in milliseconds. */
export const SESSION_MS = 30 * 86_400_000;
/** How long a link that signs in can be used, in milliseconds. */
export const SIGN_IN_CODE_MS = 60 * 60_000;
/** Beyond this number of sessions per token, the oldest one ends. */
const MAX_SESSIONS = 100;

/** 256 random bits. */
function newSessionSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** Where somebody signs in: what the browser says that it is, and from where. */
export type SignInPlace = { userAgent?: string | undefined; address?: string | undefined };

/** Signs in with a token, or a person: for how long depends on that. @returns the session's secret, which is not stored */
export async function createSession(
  db: Kysely<Database>,
  tokenId: string,
  now: Date,
  { userAgent, address }: SignInPlace = {},
): Promise<{ secret: string; ms: number }> {
  const secret = newSessionSecret();
  const { kind } = await db.selectFrom("api_tokens").select("kind").where("id", "=", tokenId).executeTakeFirstOrThrow();
  const ms = kind === "person" ? PERSON_SESSION_MS : SESSION_MS;
  await db
    .insertInto("web_sessions")
    .values({
      secret_hash: secretDigest(secret),
      token_id: tokenId,
      user_agent: userAgent?.slice(0, 300) ?? null,
      address: address ?? null,
      inserted_at: now,
      last_used_at: now,
      expires_at: new Date(now.getTime() + ms),
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
  return { secret, ms };
}

/** Who is signed in with a session; undefined when it is over, or its token is revoked. */
export async function findSession(
  db: Kysely<Database>,
  secret: string,
  now: Date,
  address: string | null = null,
): Promise<Principal | undefined> {
  const row = await actors(db)
    .innerJoin("web_sessions", "web_sessions.token_id", "api_tokens.id")
    .select(["secret_hash", "web_sessions.last_used_at as session_used_at"])
    .where("secret_hash", "=", secretDigest(secret))
    .where("web_sessions.expires_at", ">", now)
    .executeTakeFirst();
  const principal = row && principalOf(row, now);
  if (!principal) return undefined;
  await recordTokenUse(db, row, { now, address });
  if (row.session_used_at < new Date(now.getTime() - 60_000)) await recordSessionUse(db, row.secret_hash, now);
  return principal;
}

/** On a full disk it does nothing, so that reading still works. */
async function recordSessionUse(db: Kysely<Database>, hash: Buffer, now: Date): Promise<void> {
  try {
    await db.updateTable("web_sessions").set({ last_used_at: now }).where("secret_hash", "=", hash).execute();
  } catch (error) {
    if (!isConnectionLoss(error)) throw error;
  }
}

/** Ends all sessions of somebody. @param except the secret of the one that stays */
export async function endSessionsOf(db: Kysely<Database>, tokenId: string, except?: string): Promise<void> {
  let gone = db.deleteFrom("web_sessions").where("token_id", "=", tokenId);
  if (except !== undefined) gone = gone.where("secret_hash", "!=", secretDigest(except));
  await gone.execute();
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

/** Sessions of one person or token that are not over, the one used last first. */
export function listSessions(
  db: Kysely<Database>,
  tokenId: string,
  now: Date,
  page: Page,
): Promise<Paginated<SessionRow>> {
  const found = db.selectFrom("web_sessions").where("token_id", "=", tokenId).where("expires_at", ">", now);
  const rows = found
    .select(["id", "token_id", "user_agent", "address", "inserted_at", "last_used_at", "expires_at"])
    .orderBy("last_used_at", "desc")
    .orderBy("id");
  return readPage(found, rows, page);
}

/** A session of an account. @param tokenId only of this person or token, if given */
export function findAccountSession(
  db: Kysely<Database>,
  id: string,
  { accountId, tokenId, now }: { accountId: string; tokenId: string | undefined; now: Date },
): Promise<SessionRow | undefined> {
  let found = db
    .selectFrom("web_sessions")
    .innerJoin("api_tokens", "api_tokens.id", "web_sessions.token_id")
    .select(["web_sessions.id", "token_id", "user_agent", "address"])
    .select(["web_sessions.inserted_at", "web_sessions.last_used_at", "web_sessions.expires_at"])
    .where("web_sessions.id", "=", id)
    .where("api_tokens.account_id", "=", accountId)
    .where("web_sessions.expires_at", ">", now);
  if (tokenId !== undefined) found = found.where("token_id", "=", tokenId);
  return found.executeTakeFirst();
}

/** Ends a session, by the id that lists have. */
export async function endSession(db: Kysely<Database>, id: string): Promise<void> {
  await db.deleteFrom("web_sessions").where("id", "=", id).execute();
}

/** A session of somebody, without its secret. */
export type SessionRow = {
  id: string;
  token_id: string;
  user_agent: string | null;
  address: string | null;
  inserted_at: Date;
  last_used_at: Date;
  expires_at: Date;
};
