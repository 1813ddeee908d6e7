import { readConfig, requireDatabaseUrl } from "../config.ts";
import { connect } from "../database/connection/connect.ts";
import { migrationLimits } from "../database/connection/connection-options.ts";
import { withReconnect } from "../database/connection/retry.ts";
import { type LockWait, migrate } from "../database/migrations/migrate.ts";
import { createLogger } from "../telemetry/log.ts";
import { runProgram } from "./program.ts";

/** Brings the database's schema up to date and ends. Waits up to a minute for a database that does not respond yet, and up to ten for locks. */
export async function main(): Promise<void> {
  await runProgram(async (signal) => {
    const config = readConfig(process.env);
    const log = createLogger(config.logLevel, { program: "migrate" });
    const db = connect({
      url: requireDatabaseUrl(config),
      applicationName: "site-validator migrate",
      limits: migrationLimits,
      maxConnections: 2,
      onIdleError: (error) => log.warn("database connection lost", { error }),
    });
    const onLocked = ({ error, holders }: LockWait) =>
      log.warn("waiting for locks that other sessions hold", { error, holders });
    try {
      const applied = await withReconnect(() => migrate(db, { signal, onLocked }), {
        signal,
        onLoss: (error) => log.warn("waiting for the database", { error }),
      });
      log.info("schema is up to date", { applied });
    } finally {
      await db.destroy();
    }
    return 0;
  });
}
