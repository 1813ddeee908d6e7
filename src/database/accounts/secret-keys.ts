import { type Kysely, sql } from "kysely";
import { type EncryptedTable, encryptedColumns, encryptedValues } from "../../domain/accounts/encrypted-values.ts";
import { type Encryptor, keyIdOf } from "../../domain/accounts/encryption.ts";
import type { Database } from "../tables.ts";

/** A value that is stored with another key. */
export type StoredValue = { table: EncryptedTable; column: string; id: string; value: Buffer };

/** What people know of a row with a secret: whose it is, and what it is called. */
const known: Record<EncryptedTable, { account: string; name: string }> = {
  basic_auths: { account: "account_id", name: "host" },
  schedules: { account: "account_id", name: "starting_url" },
  receivers: { account: "account_id", name: "name" },
  people: { account: "account_id", name: "mail" },
  secret_keys: { account: "null::uuid", name: "id" },
};

/** Notes that programs encrypt with a key. @returns when it was replaced by another one; null if it was not */
export async function noteKey(db: Kysely<Database>, { keyId }: Pick<Encryptor, "keyId">): Promise<Date | null> {
  await db
    .insertInto("secret_keys")
    .values({ id: keyId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await findKey(db, keyId))?.replaced_at ?? null;
}

/** Notes that a key encrypts from now on, also one that was replaced before. */
export async function useKey(db: Kysely<Database>, id: string): Promise<void> {
  await db
    .insertInto("secret_keys")
    .values({ id })
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ replaced_at: null, signing_key_encrypted: null }))
    .execute();
}

/** A key that programs of this service have encrypted with. */
export function findKey(
  db: Kysely<Database>,
  id: string,
): Promise<{ first_used_at: Date; replaced_at: Date | null } | undefined> {
  return db.selectFrom("secret_keys").select(["first_used_at", "replaced_at"]).where("id", "=", id).executeTakeFirst();
}

/** With what replaced keys have signed, as far as this key opens it; the newest first. */
export async function readSigningKeys(db: Kysely<Database>, encryptor: Encryptor): Promise<Buffer[]> {
  const rows = await db
    .selectFrom("secret_keys")
    .select(["id", "signing_key_encrypted"])
    .where("signing_key_encrypted", "is not", null)
    .orderBy("replaced_at", "desc")
    .execute();
  const purpose = encryptedValues.secret_keys.signing_key_encrypted;
  return rows.flatMap(({ id, signing_key_encrypted: value }) => {
    const key = value && encryptor.decrypt(value, purpose(id));
    return key ? [Buffer.from(key, "base64url")] : [];
  });
}

/**
 * Values of a column that are encrypted with other keys than this one, in the order of their rows' ids.
 *
 * @param after the last id that was read; "" for none
 */
export async function readOtherValues(
  db: Kysely<Database>,
  { table, column }: Pick<StoredValue, "table" | "column">,
  keyId: string,
  { after, limit }: { after: string; limit: number },
): Promise<StoredValue[]> {
  const { rows } = await sql<{ id: string; value: Buffer }>`
    select id::text, ${sql.ref(column)} as value from ${sql.table(table)}
    where substr(${sql.ref(column)}, 1, 4) <> decode(${keyId}, 'hex') and id::text > ${after}
    order by id::text limit ${limit}`.execute(db);
  return rows.map((row) => ({ ...row, table, column }));
}

/** Stores a value in another form, unless it was changed meanwhile. @returns whether it was stored */
export async function replaceValue(
  db: Kysely<Database>,
  { table, column, id, value }: StoredValue,
  by: Buffer,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update ${sql.table(table)} set ${sql.ref(column)} = ${by}
    where id::text = ${id} and ${sql.ref(column)} = ${value}`.execute(db);
  return numAffectedRows === 1n;
}

/** Whose a value is, as people know it. */
export async function nameValue(db: Kysely<Database>, { table, column, id, value }: StoredValue) {
  const { account, name } = known[table];
  const { rows } = await sql<{ account_id: string | null; name: string }>`
    select ${sql.raw(account)} as account_id, ${sql.ref(name)} as name from ${sql.table(table)} where id::text = ${id}`.execute(
    db,
  );
  const [row] = rows;
  return { table, column, id, account_id: row?.account_id ?? null, name: row?.name ?? null, key: keyIdOf(value) };
}

/**
 * From now on nothing is stored with a key: waits for transactions that have stored something with it, and has the database
 * refuse others.
 *
 * @param signingKey what it signed with, encrypted with the key that comes after it; null: what it and keys before it signed is not
 *   valid any more
 * @returns false if that was so before
 */
export async function retireKey(
  trx: Kysely<Database>,
  id: string,
  { signingKey, now }: { signingKey: Buffer | null; now: Date },
): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(hashtext('site-validator secret key'))`.execute(trx);
  if (signingKey === null) await trx.updateTable("secret_keys").set({ signing_key_encrypted: null }).execute();
  const { numUpdatedRows } = await trx
    .updateTable("secret_keys")
    .set({ replaced_at: now, signing_key_encrypted: signingKey })
    .where("id", "=", id)
    .where("replaced_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** The accounts that have something encrypted. */
export async function accountsWithSecrets(db: Kysely<Database>): Promise<string[]> {
  const selects = encryptedColumns
    .filter(({ table }) => table !== "secret_keys")
    .map(({ table, column }) => sql`select account_id from ${sql.table(table)} where ${sql.ref(column)} is not null`);
  const { rows } = await sql<{ account_id: string }>`${sql.join(selects, sql` union `)} order by 1`.execute(db);
  return rows.map(({ account_id }) => account_id);
}
