import path from "node:path";
import type { Kysely } from "kysely";
import { administer } from "../cli/admin.ts";
import { readConfig } from "../config.ts";
import { connect } from "../database/connection/connect.ts";
import type { Database } from "../database/tables.ts";
import { keptSecretKey } from "../embedded/first-token.ts";
import { startPostgres } from "../embedded/postgres.ts";
import { runProgram } from "./lifecycle/program.ts";
import { migrateAt } from "./wiring/schema.ts";

/** The operator's commands for accounts and tokens: `npm run admin -- --help`. */
export async function main(args: string[]): Promise<void> {
  await runProgram(async () => {
    process.stdout.write(await administer(args, withDatabase, readKeys));
    return 0;
  });
}

/** The new key and the old one; that of the data folder, if none is given. */
async function readKeys() {
  const { secretKey, furtherSecretKey, dataDir } = readConfig(process.env);
  return { key: secretKey, oldKey: furtherSecretKey ?? (await keptSecretKey(dataDir)) };
}

async function withDatabase<Result>(work: (db: Kysely<Database>) => Promise<Result>): Promise<Result> {
  const { databaseUrl, dataDir } = readConfig(process.env);
  if (databaseUrl !== undefined) return connected(databaseUrl, work);
  const postgres = await startPostgres({ dataDir: path.join(dataDir, "postgresql"), durable: true });
  try {
    await migrateAt(postgres.url);
    return await connected(postgres.url, work);
  } finally {
    await postgres.stop();
  }
}

async function connected<Result>(url: string, work: (db: Kysely<Database>) => Promise<Result>): Promise<Result> {
  const db = connect({ url, applicationName: "site-validator admin", maxConnections: 1, onIdleError: () => {} });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}
