import type { Kysely } from "kysely";
import type { Config } from "../../config.ts";
import { noteKey, readSigningKeys } from "../../database/accounts/secret-keys.ts";
import { connect } from "../../database/connection/connect.ts";
import type { Database } from "../../database/tables.ts";
import { createEncryptor, type Encryptor } from "../../domain/accounts/encryption.ts";
import { UsageError } from "../../domain/errors.ts";

type Keys = Pick<Config, "secretKey" | "furtherSecretKey">;

/** What encrypts, with the keys of the configuration alone; undefined without SECRET_KEY. */
export function configuredEncryptor({ secretKey, furtherSecretKey }: Keys): Encryptor | undefined {
  return secretKey === undefined ? undefined : createEncryptor(secretKey, { secrets: [furtherSecretKey ?? []].flat() });
}

/**
 * What encrypts in this service, and knows what replaced keys have signed. Notes that the key is used.
 *
 * @throws UsageError for a key that was replaced: what it encrypts could not be opened any more
 */
export async function openEncryptor(db: Kysely<Database>, keys: Keys): Promise<Encryptor | undefined> {
  const { secretKey, furtherSecretKey } = keys;
  const encryptor = configuredEncryptor(keys);
  if (secretKey === undefined || !encryptor) return undefined;
  const replaced = await noteKey(db, encryptor);
  if (replaced)
    throw new UsageError(
      `SECRET_KEY was replaced on ${replaced.toISOString()}, and nothing is stored with it any more. Set it to the key that came after it.`,
    );
  const signingKeys = await readSigningKeys(db, encryptor);
  return createEncryptor(secretKey, { secrets: [furtherSecretKey ?? []].flat(), signingKeys });
}

/** The same with a connection of its own, of a service that has none yet. */
export async function openEncryptorAt(url: string, keys: Keys): Promise<Encryptor | undefined> {
  const db = connect({ url, applicationName: "site-validator standalone", maxConnections: 1, onIdleError: () => {} });
  try {
    return await openEncryptor(db, keys);
  } finally {
    await db.destroy();
  }
}
