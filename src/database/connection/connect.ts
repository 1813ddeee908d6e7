import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import type { Database } from "../tables.ts";
import { endWhenSilent } from "./client.ts";
import { type Address, connectionOptions, defaultLimits } from "./connection-options.ts";
import { DeposedError, joinTerm, type LeaderTerm } from "./leader-term.ts";
import { sharedPool } from "./shares.ts";
import { prepareStatements } from "./statements.ts";

export type ConnectOptions = Address & {
  /** The most connections at the same time. */
  maxConnections: number;
  /** Called when an idle connection is lost; the pool replaces it. */
  onIdleError: (error: Error) => void;
  /** Connections are refused unless this term is the newest; not checked when left out. */
  leader?: LeaderTerm;
  /** Called each time that a connection is refused because its term is not the newest. */
  onDeposed?: (error: DeposedError) => void;
};

/** Connections that only hold locks, beside the pool: as many as requests with an Idempotency-Key run at once. */
export const MAX_LOCKS = 4;

/** A pool and Kysely on top of it. `db.destroy()` closes both. */
export function connect(options: ConnectOptions): Kysely<Database> {
  const { maxConnections: max } = options;
  const pool = sharedPool(openPool(options, max), () => openPool(options, MAX_LOCKS), {
    max,
    waitMs: options.limits?.connectMs ?? defaultLimits.connectMs,
  });
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
}

function openPool(options: ConnectOptions, max: number): pg.Pool {
  const { onIdleError, leader, onDeposed } = options;
  const pool = new pg.Pool({
    ...connectionOptions(options),
    max,
    // Not Kysely's hook: it leaks the client when the hook's query fails.
    async onConnect(client) {
      endWhenSilent(client);
      prepareStatements(client);
      // When a connection is lost between two statements of a transaction, the next statement fails,
      // which is soon enough. Without this listener the error would end the process.
      client.on("error", () => {});
      if (!leader) return;
      await joinTerm(client, leader).catch((error: unknown) => {
        if (error instanceof DeposedError) onDeposed?.(error);
        throw error;
      });
    },
  });
  // The loss of an idle connection must not end the process.
  pool.on("error", onIdleError);
  return pool;
}
