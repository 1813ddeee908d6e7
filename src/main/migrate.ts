import type { Kysely } from "kysely";
import { type Config, readConfig, requireDatabaseUrl } from "../config.ts";
import { connect } from "../database/connection/connect.ts";
import { migrationLimits } from "../database/connection/connection-options.ts";
import { withReconnect } from "../database/connection/session.ts";
import { ensureJobRole, loginOf } from "../database/job-role.ts";
import { type LockWait, migrate } from "../database/migrations/migrate.ts";
import type { Database } from "../database/tables.ts";
import { createLogger, type Logger } from "../telemetry/log.ts";
import { runProgram } from "./lifecycle/program.ts";

/** Creates the user of JOBS_DATABASE_URL, if it is a different one and this user is allowed to. */
async function createJobUser(db: Kysely<Database>, { databaseUrl, jobsDatabaseUrl }: Config, log: Logger) {
  const login = loginOf(jobsDatabaseUrl ?? "");
  if (!login || login.user === loginOf(databaseUrl ?? "")?.user) {
    log.warn("Jobs have the rights of the database's owner: set JOBS_DATABASE_URL to a user of their own");
    return;
  }
  if (await ensureJobRole(db, login)) log.info("Jobs have a user with the rights of Jobs alone", { user: login.user });
  else
    log.warn("the database user for Jobs cannot be set up: run the statements in docs/cluster.md", {
      user: login.user,
    });
}

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
      await createJobUser(db, config, log);
    } finally {
      await db.destroy();
    }
    return 0;
  });
}
