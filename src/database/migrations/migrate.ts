import { type Kysely, sql } from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import type { Database } from "../tables.ts";
import { migrations } from "./index.ts";

/**
 * Brings the schema up to date. Safe when several processes start at the same time: Kysely
 * holds an advisory lock for the whole run, and the second process has nothing left to do.
 * Migrations of a later version that the database already has are left alone: the programs of
 * version N−1 work with schema N, so the programs can be rolled back.
 *
 * @returns the names of the migrations applied by this call
 * @throws the first migration's error; nothing of that migration is kept
 */
export async function migrate(db: Kysely<Database>): Promise<string[]> {
  const known = { ...(await laterMigrations(db)), ...migrations };
  const migrator = new Migrator({ db, provider: { getMigrations: async () => known } });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error) throw error;
  return results.filter((result) => result.status === "Success").map((result) => result.migrationName);
}

/** The migrations of a later version, by name only: Kysely refuses a history with unknown names. */
async function laterMigrations(db: Kysely<Database>): Promise<Record<string, Migration>> {
  const table = await sql<{ found: boolean }>`
    select to_regclass('kysely_migration') is not null as found
  `.execute(db);
  if (!table.rows[0]?.found) return {};
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  const latest = Object.keys(migrations).sort().at(-1) ?? "";
  return Object.fromEntries(rows.filter(({ name }) => name > latest).map(({ name }) => [name, { up: async () => {} }]));
}
