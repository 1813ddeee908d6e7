import { type Kysely, sql } from "kysely";
import { connect } from "../database/connection/connect.ts";
import { comparisonLimits } from "../database/connection/connection-options.ts";
import type { Database } from "../database/tables.ts";
import type { ControllerDeps } from "./deps.ts";

const APPLICATION = "site-validator comparison";

/**
 * Runs `work` on a connection of its own, whose statements may take as long as those of a comparison: longer than the
 * pool's. Like the pool's, it belongs to the leader's term, so that the next leader ends it.
 *
 * @param signal ends the connection, with the statement that it runs
 * @throws DeposedError when another replica already leads
 */
export async function withLongStatements<Result>(
  {
    databaseUrl,
    databaseLimits,
    term,
    log,
    db: pool,
  }: Pick<ControllerDeps, "databaseUrl" | "databaseLimits" | "term" | "log" | "db">,
  work: (db: Kysely<Database>) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  const db = connect({
    url: databaseUrl,
    applicationName: APPLICATION,
    limits: { ...databaseLimits, ...comparisonLimits },
    maxConnections: 1,
    onIdleError: (error) => log.warn("database connection lost", { error }),
    ...term,
  });
  let end: (() => void) | undefined;
  try {
    if (signal) {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
      end = () =>
        void sql`select pg_terminate_backend(pid) from pg_stat_activity
          where pid = ${rows[0]?.pid} and application_name = ${APPLICATION}`
          .execute(pool)
          .catch((error) => log.warn("a comparison could not be ended", { error }));
      signal.addEventListener("abort", end, { once: true });
      if (signal.aborted) end();
    }
    return await work(db);
  } finally {
    if (end) signal?.removeEventListener("abort", end);
    await db.destroy();
  }
}
