import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import type { Database } from "../tables.ts";

export type ConnectOptions = {
  /** `postgres://user:password@host:port/database` */
  url: string;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  /** Most connections at once. */
  maxConnections: number;
  /** Told of connections lost while idle; the pool replaces them. */
  onIdleError: (error: Error) => void;
};

/** A pool and Kysely on top of it. `db.destroy()` closes both. */
export function connect(options: ConnectOptions): Kysely<Database> {
  const pool = new pg.Pool({
    connectionString: options.url,
    application_name: options.applicationName,
    // At the start of the session, not by a query after it: Kysely loses the client whose first query fails.
    options: "-c TimeZone=UTC",
    max: options.maxConnections,
    connectionTimeoutMillis: 10_000,
    // A connection that is cut while idle must not end the process.
    keepAlive: true,
  });
  pool.on("error", options.onIdleError);
  // A connection lost between two statements of a transaction: the next statement fails, which is
  // soon enough. Without a listener of its own the client would end the process.
  pool.on("connect", (client) => client.on("error", () => {}));
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
}
