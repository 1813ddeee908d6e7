import { fileURLToPath } from "node:url";
import { DATABASE } from "../embedded/database.ts";
import { moduleFile } from "../files/own-modules.ts";

/** What makes a prepared database: the migrations, and the user of Jobs with their rights. */
export const SCHEMA_SOURCES = [
  fileURLToPath(new URL("../database/migrations/", import.meta.url)),
  moduleFile("../database/job-role", import.meta.url),
  moduleFile("../embedded/database", import.meta.url),
  moduleFile("./schema", import.meta.url),
];

/**
 * Prepares an empty database of a server of our own: its schema, and the user of Jobs with their rights. Who uses a
 * copy of it gives that user a password (job-role.ts, renewPassword).
 */
export async function prepareAt(url: string): Promise<void> {
  await migrateAt(url);
  const [{ connect }, { migrationLimits }, { ensureJobRole, ownLogin }] = await Promise.all([
    import("../database/connection/connect.ts"),
    import("../database/connection/connection-options.ts"),
    import("../database/job-role.ts"),
  ]);
  const applicationName = "site-validator prepare";
  const db = connect({ url, applicationName, limits: migrationLimits, maxConnections: 1, onIdleError: () => {} });
  try {
    if (!(await ensureJobRole(db, ownLogin(DATABASE))))
      throw new Error("The user of Jobs could not be created in the prepared database.");
  } finally {
    await db.destroy();
  }
}

/** Brings the database at `url` up to date. The modules are loaded on first use: a prepared database does not need them. */
export async function migrateAt(url: string): Promise<void> {
  const [{ connect }, { migrationLimits }, { migrate }] = await Promise.all([
    import("../database/connection/connect.ts"),
    import("../database/connection/connection-options.ts"),
    import("../database/migrations/migrate.ts"),
  ]);
  const applicationName = "site-validator migrate";
  const db = connect({ url, applicationName, limits: migrationLimits, maxConnections: 2, onIdleError: () => {} });
  try {
    await migrate(db);
  } finally {
    await db.destroy();
  }
}
