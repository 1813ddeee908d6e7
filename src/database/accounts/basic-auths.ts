import { randomUUID } from "node:crypto";
import { type Kysely, type Selectable, sql } from "kysely";
import { encryptedValues } from "../../domain/accounts/encrypted-values.ts";
import type { Encryptor } from "../../domain/accounts/encryption.ts";
import type { Whose } from "../../domain/accounts/principal.ts";
import type { SiteCredentials } from "../../domain/headers/site-credentials.ts";
import type { SiteHeader } from "../../domain/headers/site-headers.ts";
import type { SignIn } from "../../domain/sign-in/read-sign-in.ts";
import { describeStep } from "../../schema/steps.ts";
import { type Page, type Paginated, readPage } from "../lists.ts";
import type { Database } from "../tables.ts";
import { guestKnown } from "./guests.ts";
import { isOnSites } from "./site-roles.ts";

/**
 * Credentials without their secrets, which are never shown. For headers alone, `username` is null and there is no
 * password. `guest_known`: the guest account that they belong to still exists.
 */
export type BasicAuthRow = Omit<
  Selectable<Database["basic_auths"]>,
  "password_encrypted" | "headers_encrypted" | "sign_in_encrypted"
> & {
  guest_known: boolean;
};

/** All credentials of an account, those that schedules of some sites use, or those of one guest. */
export type BasicAuthScope = Whose;

const columns = [
  ...(["id", "account_id", "guest_token", "host", "username", "header_names", "sign_in_steps"] as const),
  ...(["inserted_at", "updated_at"] as const),
  guestKnown("basic_auths"),
] as const;

const {
  password_encrypted: purpose,
  headers_encrypted: headersPurpose,
  sign_in_encrypted: signInPurpose,
} = encryptedValues.basic_auths;

function authsOf(db: Kysely<Database>, scope: BasicAuthScope) {
  const { accountId, guestToken } = scope;
  let found = db.selectFrom("basic_auths").where("account_id", "=", accountId);
  if (scope.sites !== null)
    found = found.where(
      sql<boolean>`id::text in (
        select s.spec ->> 'basicAuthId' from schedules s where s.account_id = ${accountId} and s.deleted_at is null and ${isOnSites("s", scope)}
      )`,
    );
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

/** Stores credentials; only programs that have the key can decrypt the password and the headers. */
export function insertBasicAuth(
  db: Kysely<Database>,
  encryptor: Encryptor,
  { accountId, guestToken }: Omit<BasicAuthScope, "sites">,
  { host, username, password = "", headers = [], signIn }: SiteCredentials,
): Promise<BasicAuthRow> {
  const id = randomUUID();
  return db
    .insertInto("basic_auths")
    .values({
      id,
      account_id: accountId,
      guest_token: guestToken,
      host,
      username: username ?? null,
      password_encrypted: username === undefined ? null : encryptor.encrypt(password, purpose(id)),
      ...encryptedHeaders(encryptor, id, headers),
      ...encryptedSignIn(encryptor, id, signIn ?? null),
    })
    .returning(columns)
    .executeTakeFirstOrThrow();
}

function encryptedHeaders(encryptor: Encryptor, id: string, headers: readonly SiteHeader[]) {
  return {
    headers_encrypted: headers.length > 0 ? encryptor.encrypt(JSON.stringify(headers), headersPurpose(id)) : null,
    header_names: headers.map(({ name }) => name),
  };
}

function encryptedSignIn(encryptor: Encryptor, id: string, signIn: SignIn | null) {
  return {
    sign_in_encrypted: signIn && encryptor.encrypt(JSON.stringify(signIn), signInPurpose(id)),
    sign_in_steps: signIn?.steps.map(describeStep) ?? [],
  };
}

/** The fields to change; a `username` of null removes user name and password. */
export type BasicAuthChange = {
  host?: string | undefined;
  username?: string | null | undefined;
  password?: string | undefined;
  headers?: readonly SiteHeader[] | undefined;
  /** null removes it. */
  signIn?: SignIn | null | undefined;
};

/**
 * Applies a change if `decide` allows it. The row is locked meanwhile, so that secrets of one request cannot be sent to
 * the host of another.
 *
 * @param decide throws to leave the credentials as they are
 * @returns false when there are none
 */
export async function changeBasicAuth(
  db: Kysely<Database>,
  { encryptor, scope, id }: { encryptor: Encryptor; scope: BasicAuthScope; id: string },
  decide: (row: Pick<BasicAuthRow, "host" | "username" | "header_names" | "sign_in_steps">) => BasicAuthChange,
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const found = authsOf(trx, scope)
      .select(["host", "username", "header_names", "sign_in_steps"])
      .where("id", "=", id);
    const row = await found.forUpdate().executeTakeFirst();
    if (!row) return false;
    const { host, username, password, headers, signIn } = decide(row);
    await trx
      .updateTable("basic_auths")
      .set({
        ...(host !== undefined && { host }),
        ...(username !== undefined && { username }),
        ...(password !== undefined && { password_encrypted: encryptor.encrypt(password, purpose(id)) }),
        ...(username === null && { password_encrypted: null }),
        ...(headers !== undefined && encryptedHeaders(encryptor, id, headers)),
        ...(signIn !== undefined && encryptedSignIn(encryptor, id, signIn)),
        updated_at: sql`now()`,
      })
      .where("id", "=", id)
      .execute();
    return true;
  });
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
export async function decryptBasicAuth(
  db: Kysely<Database>,
  encryptor: Encryptor,
  reportId: string,
): Promise<SiteCredentials | undefined> {
  const row = await db
    .selectFrom("reports")
    .innerJoin("basic_auths", (join) =>
      join
        .onRef("basic_auths.account_id", "=", "reports.account_id")
        .on(sql<boolean>`basic_auths.id::text = reports.spec ->> 'basicAuthId'`)
        .on(sql<boolean>`(reports.guest_token is null or reports.guest_token = basic_auths.guest_token)`),
    )
    .select(["basic_auths.id", "host", "username", "password_encrypted", "headers_encrypted", "sign_in_encrypted"])
    .where("reports.id", "=", reportId)
    .executeTakeFirst();
  if (!row) return undefined;
  const { id, host, username } = row;
  const password = row.password_encrypted && encryptor.decrypt(row.password_encrypted, purpose(id));
  const headers = row.headers_encrypted && encryptor.decrypt(row.headers_encrypted, headersPurpose(id));
  const signIn = row.sign_in_encrypted && encryptor.decrypt(row.sign_in_encrypted, signInPurpose(id));
  if (password === undefined || headers === undefined || signIn === undefined) return undefined;
  return {
    host,
    ...(username !== null && password !== null && { username, password }),
    ...(headers !== null && { headers: JSON.parse(headers) as SiteHeader[] }),
    ...(signIn !== null && { signIn: JSON.parse(signIn) as SignIn }),
  };
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
