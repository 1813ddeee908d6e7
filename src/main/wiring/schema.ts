import { fileURLToPath } from "node:url";
import type { Kysely } from "kysely";
import type { Database } from "../../database/tables.ts";
import { DATABASE } from "../../embedded/database.ts";
import { moduleFile } from "../../files/own-modules.ts";

/** The sources of a prepared database: the migrations, and the database user for Jobs with its rights. */
export const SCHEMA_SOURCES = [
  // Tables say which kinds there are.
  moduleFile("../../checks/kinds", import.meta.url),
  fileURLToPath(new URL("../../database/migrations/", import.meta.url)),
  moduleFile("../../database/job-role", import.meta.url),
  // Columns that Jobs may not change, and those that they may.
  moduleFile("../../database/reports/projected-columns", import.meta.url),
  moduleFile("../../domain/findings/check-counts", import.meta.url),
  moduleFile("../../domain/findings/tally", import.meta.url),
  moduleFile("../../embedded/database", import.meta.url),
  moduleFile("./schema", import.meta.url),
];

/**
 * Prepares an empty database of an embedded server: its schema, and the database user for Jobs with its rights. Each
 * copy of it gives that user a password of its own (job-role.ts, renewPassword).
 */
export async function prepareAt(url: string): Promise<void> {
  await migrateAt(url);
  const { ensureJobRole, ownLogin } = await import("../../database/job-role.ts");
  await withDatabase(url, { name: "prepare", connections: 1 }, async (db) => {
    if (!(await ensureJobRole(db, ownLogin(DATABASE))))
      throw new Error("The database user for Jobs could not be created in the prepared database.");
  });
}

/** Brings the database at `url` up to date. The modules are loaded on first use: a prepared database does not need them. */
export async function migrateAt(url: string): Promise<void> {
  const { migrate } = await import("../../database/migrations/migrate.ts");
  await withDatabase(url, { name: "migrate", connections: 2 }, migrate);
}

async function withDatabase(
  url: string,
  { name, connections }: { name: string; connections: number },
  work: (db: Kysely<Database>) => Promise<unknown>,
): Promise<void> {
  const [{ connect }, { migrationLimits }] = await Promise.all([
    import("../../database/connection/connect.ts"),
    import("../../database/connection/connection-options.ts"),
  ]);
  const applicationName = `site-validator ${name}`;
  const limits = migrationLimits;
  const db = connect({ url, applicationName, limits, maxConnections: connections, onIdleError: () => {} });
  try {
    await work(db);
  } finally {
    await db.destroy();
  }
}
