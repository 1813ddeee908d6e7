import { sql } from "kysely";
import { createClient } from "../../database/connection/client.ts";
import { connect } from "../../database/connection/connect.ts";
import { migrationLimits } from "../../database/connection/connection-options.ts";
import { ensureJobRole, ownLogin, withLogin } from "../../database/job-role.ts";
import type { Logger } from "../../telemetry/log.ts";

const APPLICATION_NAME = "site-validator start";

/**
 * The database's URL for the Jobs of this machine: a user with only the rights of Jobs, whose password changes with
 * each start. If such a user cannot be created or cannot connect, Jobs use the owner's URL, and the log says so.
 */
export async function jobsUrlOf(databaseUrl: string, log: Logger): Promise<string> {
  const address = { url: databaseUrl, applicationName: APPLICATION_NAME, limits: migrationLimits };
  const db = connect({ ...address, maxConnections: 1, onIdleError: () => {} });
  try {
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db);
    const login = ownLogin(rows[0]?.name ?? "");
    const url = withLogin(databaseUrl, login);
    if ((await ensureJobRole(db, login)) && (await canConnect(url))) return url;
  } finally {
    await db.destroy();
  }
  log.warn(
    "Jobs have the rights of the database's owner: no user of their own could be created; set JOBS_DATABASE_URL",
  );
  return databaseUrl;
}

async function canConnect(url: string): Promise<boolean> {
  const client = createClient({ url, applicationName: APPLICATION_NAME });
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}
