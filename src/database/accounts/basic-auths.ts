import { randomUUID } from "node:crypto";
import { type Kysely, type Selectable, sql } from "kysely";
import type { BasicAuth } from "../../domain/basic-auth.ts";
import type { Encryptor } from "../../domain/encryption.ts";
import { type Page, type Paginated, readPage } from "../lists.ts";
import type { Database } from "../tables.ts";
import { guestKnown } from "./guest-known.ts";

/** Credentials without the password, which is never shown. `guest_known`: the guest account that they belong to still exists. */
export type BasicAuthRow = Omit<Selectable<Database["basic_auths"]>, "password_sealed"> & { guest_known: boolean };

/** All credentials of an account, or those of one guest. */
export type BasicAuthScope = { accountId: string; guestToken: string | null };

const columns = [
  ...(["id", "account_id", "guest_token", "host", "username", "inserted_at", "updated_at"] as const),
  guestKnown("basic_auths"),
] as const;

/** Encryption is bound to the id: a password moved to another row cannot be decrypted there. */
const purpose = (id: string): string => `basic_auth ${id}`;

function authsOf(db: Kysely<Database>, { accountId, guestToken }: BasicAuthScope) {
  const found = db.selectFrom("basic_auths").where("account_id", "=", accountId);
  return guestToken === null ? found : found.where("guest_token", "=", guestToken);
}

/** Stored credentials, oldest first. */
export async function listBasicAuths(
  db: Kysely<Database>,
  scope: BasicAuthScope,
  page: Page,
): Promise<Paginated<BasicAuthRow>> {
  const found = authsOf(db, scope);
  const rows = found.select(columns).orderBy("inserted_at").orderBy("id");
  return readPage(found, rows, page);
}

export function findBasicAuth(
  db: Kysely<Database>,
  scope: BasicAuthScope,
  id: string,
): Promise<BasicAuthRow | undefined> {
  return authsOf(db, scope).select(columns).where("id", "=", id).executeTakeFirst();
}

/** Stores credentials; only programs that have the key can decrypt the password. */
export function insertBasicAuth(
  db: Kysely<Database>,
  encryptor: Encryptor,
  { accountId, guestToken }: BasicAuthScope,
  { host, username, password }: BasicAuth,
): Promise<BasicAuthRow> {
  const id = randomUUID();
  return db
    .insertInto("basic_auths")
    .values({
      id,
      account_id: accountId,
      guest_token: guestToken,
      host,
      username,
      password_sealed: encryptor.encrypt(password, purpose(id)),
    })
    .returning(columns)
    .executeTakeFirstOrThrow();
}

/** Changes what is given. */
export async function changeBasicAuth(
  db: Kysely<Database>,
  encryptor: Encryptor | undefined,
  id: string,
  { host, username, password }: Partial<BasicAuth>,
): Promise<void> {
  if (password !== undefined && !encryptor) throw new Error("A password cannot be stored without a key.");
  await db
    .updateTable("basic_auths")
    .set({
      ...(host !== undefined && { host }),
      ...(username !== undefined && { username }),
      ...(password !== undefined && encryptor && { password_sealed: encryptor.encrypt(password, purpose(id)) }),
      updated_at: sql`now()`,
    })
    .where("id", "=", id)
    .execute();
}

/** How many schedules, and reports that have not ended, name these credentials. */
export async function countUses(
  db: Kysely<Database>,
  { id, account_id }: Pick<BasicAuthRow, "id" | "account_id">,
): Promise<{ schedules: number; reports: number }> {
  const { rows } = await sql<{ schedules: number; reports: number }>`
    select (
      select count(*)::integer from schedules
      where account_id = ${account_id} and deleted_at is null and spec ->> 'basicAuthId' = ${id}
    ) as schedules, (
      select count(*)::integer from reports
      where account_id = ${account_id} and deleted_at is null and phase not in ('Complete', 'Failed')
        and spec ->> 'basicAuthId' = ${id}
    ) as reports`.execute(db);
  return rows[0] ?? { schedules: 0, reports: 0 };
}

/** @returns false when there are none */
export async function deleteBasicAuth(db: Kysely<Database>, id: string): Promise<boolean> {
  return (await db.deleteFrom("basic_auths").where("id", "=", id).returning("id").executeTakeFirst()) !== undefined;
}

/**
 * Decrypts the credentials that a report names, if they belong to its account and, for a
 * guest's report, to that guest: a resource may be applied with any id in it.
 */
export async function openBasicAuth(
  db: Kysely<Database>,
  encryptor: Encryptor,
  reportId: string,
): Promise<BasicAuth | undefined> {
  const row = await db
    .selectFrom("reports")
    .innerJoin("basic_auths", (join) =>
      join
        .onRef("basic_auths.account_id", "=", "reports.account_id")
        .on(sql<boolean>`basic_auths.id::text = reports.spec ->> 'basicAuthId'`)
        .on(sql<boolean>`(reports.guest_token is null or reports.guest_token = basic_auths.guest_token)`),
    )
    .select(["basic_auths.id", "host", "username", "password_sealed"])
    .where("reports.id", "=", reportId)
    .executeTakeFirst();
  const password = row && encryptor.decrypt(row.password_sealed, purpose(row.id));
  return row && password !== undefined ? { host: row.host, username: row.username, password } : undefined;
}

/** Fails a report that has not begun because the credentials that it names are not available. */
export async function failWithoutBasicAuth(db: Kysely<Database>, id: string, detail: string): Promise<void> {
  await db
    .updateTable("reports")
    .set({
      crawl_state: "failed",
      failure_code: "credentials_missing",
      failure_detail: detail,
      updated_at: sql`now()`,
    })
    .where("id", "=", id)
    .where("crawl_state", "=", "pending")
    .where("deleted_at", "is", null)
    .execute();
}
