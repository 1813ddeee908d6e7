import { type Kysely, type Selectable, sql } from "kysely";
import type { Whose } from "../../domain/accounts/principal.ts";
import { type Page, type Paginated, readPage } from "../lists.ts";
import { newSecret, secretDigest } from "../secrets.ts";
import type { Database } from "../tables.ts";
import { isOnSites } from "./site-roles.ts";

/** A link without its secret's digest. */
export type ShareLinkRow = Omit<Selectable<Database["share_links"]>, "secret_hash">;

/** All links of an account, those to some of its sites and their reports, or those of one guest. */
export type ShareLinkScope = Whose;

/** What a link opens: a report, or the numbers of a site. */
export type SharedThing = { reportId: string } | { startingUrl: string };

const columns = ["id", "account_id", "guest_token", "report_id", "starting_url", "expires_at", "inserted_at"] as const;

function linksOf(db: Kysely<Database>, scope: ShareLinkScope) {
  const { accountId, guestToken } = scope;
  const found = db
    .selectFrom("share_links")
    .where("account_id", "=", accountId)
    .where(
      sql<boolean>`(${isOnSites("share_links", scope)} or exists (
        select from reports r where r.id = share_links.report_id and r.account_id = ${accountId} and ${isOnSites("r", scope)}
      ))`,
    );
  return guestToken === null ? found : found.where("guest_token", "=", guestToken);
}

/** Makes a link. @returns its id, and the secret, which cannot be read again */
export async function createShareLink(
  db: Kysely<Database>,
  { accountId, guestToken }: Omit<ShareLinkScope, "sites">,
  thing: SharedThing,
  expiresAt: Date,
): Promise<{ id: string; secret: string }> {
  const secret = newSecret("svl");
  const { id } = await db
    .insertInto("share_links")
    .values({
      account_id: accountId,
      guest_token: guestToken,
      report_id: "reportId" in thing ? thing.reportId : null,
      starting_url: "startingUrl" in thing ? thing.startingUrl : null,
      secret_hash: secretDigest(secret),
      expires_at: expiresAt,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return { id, secret };
}

/** Links, the newest first; `of`: only those to a report, or to a site. */
export function listShareLinks(
  db: Kysely<Database>,
  scope: ShareLinkScope,
  of: Partial<{ reportId: string; siteId: string }>,
  page: Page,
): Promise<Paginated<ShareLinkRow>> {
  let found = linksOf(db, scope);
  if (of.reportId !== undefined) found = found.where("report_id", "=", of.reportId);
  if (of.siteId !== undefined) found = found.where(sql<boolean>`md5(starting_url) = ${of.siteId}`);
  return readPage(found, found.select(columns).orderBy("inserted_at", "desc").orderBy("id"), page);
}

export function findShareLink(
  db: Kysely<Database>,
  id: string,
  scope: ShareLinkScope,
): Promise<ShareLinkRow | undefined> {
  return linksOf(db, scope).select(columns).where("id", "=", id).executeTakeFirst();
}

export async function setShareLinkEnd(db: Kysely<Database>, id: string, expiresAt: Date): Promise<void> {
  await db.updateTable("share_links").set({ expires_at: expiresAt }).where("id", "=", id).execute();
}

/** Gives a link a new secret: the one before it opens nothing any more. */
export async function renewShareLink(db: Kysely<Database>, id: string): Promise<string> {
  const secret = newSecret("svl");
  await db
    .updateTable("share_links")
    .set({ secret_hash: secretDigest(secret) })
    .where("id", "=", id)
    .execute();
  return secret;
}

/** @returns false when there is none */
export async function deleteShareLink(db: Kysely<Database>, id: string): Promise<boolean> {
  return (await db.deleteFrom("share_links").where("id", "=", id).returning("id").executeTakeFirst()) !== undefined;
}

/** The link with a secret; undefined for one that is over, or whose guest is gone. */
export async function openShareLink(
  db: Kysely<Database>,
  secret: string,
  now: Date,
): Promise<ShareLinkRow | undefined> {
  return db
    .selectFrom("share_links")
    .leftJoin("guest_accounts", "guest_accounts.token", "share_links.guest_token")
    .select(columns.map((column) => `share_links.${column}` as const))
    .where("secret_hash", "=", secretDigest(secret))
    .where("share_links.expires_at", ">", now)
    .where("guest_accounts.deleted_at", "is", null)
    .executeTakeFirst();
}
