import { fileURLToPath } from "node:url";

/** The folder of the migrations. */
export const MIGRATIONS = fileURLToPath(new URL("../database/migrations/", import.meta.url));

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
