import type { Kysely } from "kysely";
import {
  accountsWithSecrets,
  findKey,
  nameValue,
  readOtherValues,
  replaceValue,
  retireKey,
  type StoredValue,
  useKey,
} from "../database/accounts/secret-keys.ts";
import { insertEntry } from "../database/audit/entries.ts";
import type { Database } from "../database/tables.ts";
import { encryptedColumns, encryptedValues } from "../domain/accounts/encrypted-values.ts";
import { createEncryptor, type Encryptor, keyIdOfSecret, signingKeyOf } from "../domain/accounts/encryption.ts";
import { hidden } from "../domain/audit/changes.ts";
import { adminEntry } from "../domain/audit/entry.ts";
import { UsageError } from "../domain/errors.ts";

const BATCH = 100;

type Options = {
  /** The key that encrypts from now on, and the one before. */
  key: string;
  oldKey: string;
  /** Whether addresses that were signed with the old key stay valid: badges, links that end mails. */
  keepsAddresses: boolean;
  /** The key that encrypts from now on was used before the other one. */
  goesBack?: boolean;
  now: () => Date;
};

type Named = Awaited<ReturnType<typeof nameValue>>;

/** How many values were written anew, and those that neither key opens, which stay as they are. */
export type Rotation = { rewritten: number; unreadable: Named[] };

/**
 * Writes all that is encrypted with the old key anew. Each value is a statement of its own that changes it only if nobody else has
 * meanwhile, so it may end at any time, and be begun again: what is done is known by the key that a value names. When nothing is
 * left, the database is told to refuse the old key, and what was stored until then is written anew, too.
 *
 * @throws UsageError for an old key that no program has used, and for one that is newer, unless that is wanted
 */
export async function rotateSecretKey(db: Kysely<Database>, options: Options): Promise<Rotation> {
  const { key, oldKey, keepsAddresses, goesBack = false, now } = options;
  const [id, oldId] = [keyIdOfSecret(key), keyIdOfSecret(oldKey)];
  if (id === oldId) throw new UsageError("FURTHER_SECRET_KEY is the same key as SECRET_KEY. Nothing was changed.");
  const [known, old] = [await findKey(db, id), await findKey(db, oldId)];
  if (!old)
    throw new UsageError(
      "No program of this service has used FURTHER_SECRET_KEY as its SECRET_KEY, so it is not the old key. Nothing was changed. SECRET_KEY must be the new key, and FURTHER_SECRET_KEY the one before.",
    );
  if (known && known.first_used_at < old.first_used_at && !goesBack)
    throw new UsageError(
      "SECRET_KEY was used before FURTHER_SECRET_KEY: they are the wrong way round. Nothing was changed. To go back to the earlier key, add --back.",
    );
  const encryptor = createEncryptor(key, { secrets: [oldKey] });
  await useKey(db, id);
  const before = await rewriteAll(db, encryptor);
  await db.transaction().execute(async (trx) => {
    const signingKey = keepsAddresses ? encryptedSigningKey(encryptor, oldKey) : null;
    const at = now();
    if (!(await retireKey(trx, oldId, { signingKey, now: at }))) return;
    const did = { operation: "admin", verb: "replaced the encryption key", area: "credentials" } as const;
    const changes = [hidden("secret_key")];
    for (const accountId of await accountsWithSecrets(trx))
      await insertEntry(trx, adminEntry(did, { accountId, at, target: null, changes }));
  });
  const { rewritten, unreadable } = await rewriteAll(db, encryptor);
  return { rewritten: before.rewritten + rewritten, unreadable };
}

function encryptedSigningKey(encryptor: Encryptor, oldKey: string): Buffer {
  const purpose = encryptedValues.secret_keys.signing_key_encrypted(keyIdOfSecret(oldKey));
  return encryptor.encrypt(signingKeyOf(oldKey).toString("base64url"), purpose);
}

/** Goes through all values until a pass finds none to write anew: others may store some with the old key meanwhile. */
async function rewriteAll(db: Kysely<Database>, encryptor: Encryptor): Promise<Rotation> {
  for (let rewritten = 0; ; ) {
    const pass = await rewriteOnce(db, encryptor);
    rewritten += pass.rewritten;
    if (pass.rewritten === 0 && pass.missed === 0) {
      const unreadable: Named[] = [];
      for (const value of pass.unreadable) unreadable.push(await nameValue(db, value));
      return { rewritten, unreadable };
    }
  }
}

async function rewriteOnce(db: Kysely<Database>, encryptor: Encryptor) {
  const pass = { rewritten: 0, missed: 0, unreadable: [] as StoredValue[] };
  for (const column of encryptedColumns)
    for (let after: string | undefined = ""; after !== undefined; ) {
      const values = await readOtherValues(db, column, encryptor.keyId, { after, limit: BATCH });
      for (const value of values) {
        const purpose = column.purpose(value.id);
        const text = encryptor.decrypt(value.value, purpose);
        if (text === undefined) pass.unreadable.push(value);
        else if (await replaceValue(db, value, encryptor.encrypt(text, purpose))) pass.rewritten += 1;
        else pass.missed += 1;
      }
      after = values.length < BATCH ? undefined : values.at(-1)?.id;
    }
  return pass;
}
