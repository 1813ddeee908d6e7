import type { Kysely } from "kysely";
import { connect } from "../database/connection/connect.ts";
import { comparisonLimits } from "../database/connection/connection-options.ts";
import type { Database } from "../database/tables.ts";
import type { ControllerDeps } from "./deps.ts";

/**
 * Runs `work` on a connection of its own, whose statements may take as long as those of a comparison: longer than the
 * pool's. Like the pool's, it belongs to the leader's term, so that the next leader ends it.
 *
 * @throws DeposedError when another replica already leads
 */
export async function withLongStatements<Result>(
  { databaseUrl, databaseLimits, term, log }: Pick<ControllerDeps, "databaseUrl" | "databaseLimits" | "term" | "log">,
  work: (db: Kysely<Database>) => Promise<Result>,
): Promise<Result> {
  const db = connect({
    url: databaseUrl,
    applicationName: "site-validator comparison",
    limits: { ...databaseLimits, ...comparisonLimits },
    maxConnections: 1,
    onIdleError: (error) => log.warn("database connection lost", { error }),
    ...term,
  });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}
