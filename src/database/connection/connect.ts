import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import type { Database } from "../tables.ts";
import { endWhenSilent } from "./client.ts";
import { type Address, connectionOptions } from "./connection-options.ts";
import { joinTerm, type LeaderTerm } from "./leader-term.ts";

export type ConnectOptions = Address & {
  /** Most connections at once. */
  maxConnections: number;
  /** Told of connections lost while idle; the pool replaces them. */
  onIdleError: (error: Error) => void;
  /** Connections work only while this term is the newest; no check when not given. */
  leader?: LeaderTerm;
};

/** A pool and Kysely on top of it. `db.destroy()` closes both. */
export function connect(options: ConnectOptions): Kysely<Database> {
  const { maxConnections, onIdleError, leader } = options;
  const pool = new pg.Pool({
    ...connectionOptions(options),
    max: maxConnections,
    // Not a hook of Kysely's: it loses the client whose first query fails.
    async onConnect(client) {
      endWhenSilent(client);
      // A connection lost between two statements of a transaction: the next statement fails, which is
      // soon enough. Without a listener of its own the client would end the process.
      client.on("error", () => {});
      if (leader) await joinTerm(client, leader);
    },
  });
  // A connection that is cut while idle must not end the process.
  pool.on("error", onIdleError);
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
}
