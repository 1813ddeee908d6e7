import { type Kysely, sql } from "kysely";
import type { Database } from "../tables.ts";

/**
 * Runs `work` on one connection, whose statements may take no longer than `ms`, waits for locks included: for what
 * somebody else does later if it takes too long. A shorter limit of the connection stays.
 */
export function withStatementLimit<Result>(
  db: Kysely<Database>,
  ms: number,
  work: (db: Kysely<Database>) => Promise<Result>,
): Promise<Result> {
  return db.connection().execute(async (connection) => {
    await sql`
      select set_config('statement_timeout', least(nullif(setting::integer, 0), ${ms}::integer)::text, false)
      from pg_settings where name = 'statement_timeout'`.execute(connection);
    try {
      return await work(connection);
    } finally {
      // If this fails, the connection is lost, and with it the limit.
      await sql`reset statement_timeout`.execute(connection).catch(() => {});
    }
  });
}
