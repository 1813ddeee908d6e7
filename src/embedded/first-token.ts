import { createHash, randomBytes } from "node:crypto";
import { open, readFile, rename } from "node:fs/promises";
import path from "node:path";
import type { Kysely } from "kysely";
import { ensureFirstAccount, generateToken } from "../database/accounts/tokens.ts";
import type { Database } from "../database/tables.ts";
import { makeFolder } from "../files/make-folder.ts";
import { requireTrusted } from "../files/trust.ts";

export type FirstToken = {
  /** Undefined when another machine created it in a shared database. */
  token: string | undefined;
  /** The file that keeps the token; undefined when there is none. */
  file: string | undefined;
  /** True when this start created the token. */
  isNew: boolean;
};

export type FirstTokenOptions = {
  dataDir: string;
  /** The value of FIRST_TOKEN. */
  configured: string | undefined;
  /** The value of DATABASE_URL; undefined for the embedded server. */
  databaseUrl: string | undefined;
};

/**
 * Creates the first account and its token once, and keeps the token in a file of the data folder. With
 * the embedded server the file is written before the database, so that after a crash in between the
 * next start uses the same token.
 */
export async function firstToken(db: Kysely<Database>, options: FirstTokenOptions): Promise<FirstToken> {
  const { dataDir, configured, databaseUrl } = options;
  const file = path.join(dataDir, databaseUrl === undefined ? "first-token" : `first-token-${digest(databaseUrl)}`);
  const kept = (await readSecret(file)) || undefined;

  if (configured === undefined && databaseUrl !== undefined) {
    // Other machines may use this database, so an existing token is not replaced.
    const { token } = await ensureFirstAccount(db);
    if (token) await writeAtomically(file, token);
    return { token: token ?? kept, file: token || kept ? file : undefined, isNew: token !== undefined };
  }
  const token = configured ?? kept ?? generateToken();
  if (token !== kept) await writeAtomically(file, token);
  await ensureFirstAccount(db, { token });
  return { token, file, isNew: token !== kept };
}

/** The secret key from the data folder, created once, for installations that configure none. */
export async function ownSecretKey(dataDir: string): Promise<string> {
  // Creates a key only when the file does not exist: a new key would make all encrypted data unreadable.
  const kept = await keptSecretKey(dataDir);
  if (kept) return kept;
  const key = randomBytes(32).toString("base64url");
  await writeAtomically(keyFile(dataDir), key);
  return key;
}

/** The secret key that the data folder has; undefined for none. */
export async function keptSecretKey(dataDir: string): Promise<string | undefined> {
  return (await readSecret(keyFile(dataDir))) || undefined;
}

const keyFile = (dataDir: string): string => path.join(dataDir, "secret-key");

/**
 * The secret in a file; "" when there is none. A token that somebody else has written would open the service to them.
 *
 * @throws UsageError for a file that others own or may write to; Error of the file system
 */
async function readSecret(file: string): Promise<string> {
  await requireTrusted(file, { kind: "file", what: "The secret in", remedy: "Remove it, or make it a file" });
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  return text.trim();
}

/** Writes a draft and renames it, so that the file is always complete. */
async function writeAtomically(file: string, token: string): Promise<void> {
  await makeFolder(path.dirname(file), 0o700);
  const draft = `${file}.draft`;
  const handle = await open(draft, "w", 0o600);
  try {
    await handle.chmod(0o600);
    await handle.writeFile(`${token}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
}

function digest(databaseUrl: string): string {
  return createHash("sha256").update(databaseUrl).digest("hex").slice(0, 8);
}
