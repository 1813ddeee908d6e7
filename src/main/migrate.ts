import { readConfig, requireDatabaseUrl } from "../config.ts";
import { connect } from "../database/connect.ts";
import { migrate } from "../database/migrate.ts";
import { createLogger } from "../telemetry/log.ts";
import { runProgram } from "./program.ts";

/** Brings the database's schema up to date and ends. */
export async function main(): Promise<void> {
  await runProgram(async () => {
    const config = readConfig(process.env);
    const log = createLogger(config.logLevel, { program: "migrate" });
    const db = connect({
      url: requireDatabaseUrl(config),
      applicationName: "site-validator migrate",
      maxConnections: 2,
      onIdleError: (error) => log.warn("database connection lost", { error: error.message }),
    });
    try {
      log.info("schema is up to date", { applied: await migrate(db) });
    } finally {
      await db.destroy();
    }
    return 0;
  });
}
