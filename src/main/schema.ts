import { fileURLToPath } from "node:url";

/** The folder of all that an empty database becomes ours by. */
export const MIGRATIONS = fileURLToPath(new URL("../database/migrations/", import.meta.url));

/** Brings the database at `url` up to date. Loaded when it is needed: a prepared database needs it not. */
export async function migrateAt(url: string): Promise<void> {
  const [{ connect }, { migrate }] = await Promise.all([
    import("../database/connection/connect.ts"),
    import("../database/migrations/migrate.ts"),
  ]);
  const db = connect({ url, applicationName: "site-validator migrate", maxConnections: 2, onIdleError: () => {} });
  try {
    await migrate(db);
  } finally {
    await db.destroy();
  }
}
