import { createHash, randomBytes } from "node:crypto";
import { open, readFile, rename } from "node:fs/promises";
import path from "node:path";
import type { Kysely } from "kysely";
import { ensureFirstAccount, generateToken } from "../database/accounts/tokens.ts";
import type { Database } from "../database/tables.ts";
import { makeFolder } from "../files/make-folder.ts";

export type FirstToken = {
  /** undefined: made by another machine, on a database that is not ours alone. */
  token: string | undefined;
  /** Where it is kept; undefined when it is not. */
  file: string | undefined;
  /** true: it was made by this start. */
  isNew: boolean;
};

export type FirstTokenOptions = {
  dataDir: string;
  /** FIRST_TOKEN. */
  configured: string | undefined;
  /** DATABASE_URL; undefined for the embedded server. */
  databaseUrl: string | undefined;
};

/**
 * Makes the first account and its token, once, and keeps the token in the data
 * folder. The file comes before the database: cut off in between, the next start uses
 * the same token.
 */
export async function firstToken(db: Kysely<Database>, options: FirstTokenOptions): Promise<FirstToken> {
  const { dataDir, configured, databaseUrl } = options;
  const file = path.join(dataDir, databaseUrl === undefined ? "first-token" : `first-token-${digest(databaseUrl)}`);
  const kept = (await readFile(file, "utf8").catch(() => "")).trim() || undefined;

  if (configured === undefined && databaseUrl !== undefined) {
    // Others may use this database: a token that is there stays as it is.
    const { token } = await ensureFirstAccount(db);
    if (token) await keep(file, token);
    return { token: token ?? kept, file: token || kept ? file : undefined, isNew: token !== undefined };
  }
  const token = configured ?? kept ?? generateToken();
  if (token !== kept) await keep(file, token);
  await ensureFirstAccount(db, { token });
  return { token, file, isNew: token !== kept };
}

/** The key that is kept in the data folder, for installations that configure none. */
export async function ownSecretKey(dataDir: string): Promise<string> {
  const file = path.join(dataDir, "secret-key");
  // Only a file that is not there may be made: without its key what was sealed is lost.
  const kept = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  if (kept.trim()) return kept.trim();
  const key = randomBytes(32).toString("base64url");
  await keep(file, key);
  return key;
}

/** Written aside and renamed: a file that is there is whole. */
async function keep(file: string, token: string): Promise<void> {
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
