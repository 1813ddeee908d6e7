import type { Kysely } from "kysely";
import { Migrator } from "kysely/migration";
import { migrations } from "./migrations/index.ts";
import type { Database } from "./tables.ts";

/**
 * Brings the schema up to date. Safe when several processes start at once: Kysely
 * holds an advisory lock of Postgres for the whole run, and who comes second finds
 * nothing left to do.
 *
 * @returns the names of the migrations applied by this call
 * @throws the first migration's error; nothing of that migration is kept
 */
export async function migrate(db: Kysely<Database>): Promise<string[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error) throw error;
  return results.filter((result) => result.status === "Success").map((result) => result.migrationName);
}
