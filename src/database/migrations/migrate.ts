import { type Kysely, sql } from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import type { Database } from "../tables.ts";
import { migrations } from "./index.ts";

/**
 * Brings the schema up to date. Safe when several processes start at once: Kysely
 * holds an advisory lock of Postgres for the whole run, and who comes second finds
 * nothing left to do. Migrations of a later version that the database already has are
 * left alone: schema N serves the programs of N−1, so a rollback of the programs works.
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

/** What a later version applied to this database: names only, for Kysely refuses a history that it does not know. */
async function laterMigrations(db: Kysely<Database>): Promise<Record<string, Migration>> {
  const table = await sql<{ found: boolean }>`
    select to_regclass('kysely_migration') is not null as found
  `.execute(db);
  if (!table.rows[0]?.found) return {};
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  const latest = Object.keys(migrations).sort().at(-1) ?? "";
  return Object.fromEntries(rows.filter(({ name }) => name > latest).map(({ name }) => [name, { up: async () => {} }]));
}
