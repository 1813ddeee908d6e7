import { AsyncLocalStorage } from "node:async_hooks";
import { type Kysely, sql } from "kysely";
import type { Database } from "../tables.ts";
import { defaultLimits } from "./connection-options.ts";

const sessions = new AsyncLocalStorage<boolean>();

/**
 * Runs work that sets something for its session, beyond a transaction. A pooler in transaction mode would give the setting
 * to whoever comes next, so connections that `work` takes do not go through one.
 */
export function inSession<Result>(work: () => Result): Result {
  return sessions.run(true, work);
}

export function needsSession(): boolean {
  return sessions.getStore() === true;
}

const LIMITS: Record<string, number> = {
  statement_timeout: defaultLimits.statementMs,
  lock_timeout: defaultLimits.lockMs,
  idle_in_transaction_session_timeout: defaultLimits.idleInTransactionMs,
};

/**
 * The limits that sessions of a pooler do not have. It refuses them from clients when they connect, so only the database's
 * user can have them.
 *
 * @returns the parameters of PostgreSQL with the milliseconds that they should have
 */
export async function missingLimits(db: Kysely<Database>): Promise<[name: string, ms: number][]> {
  const query = sql<{ name: string }>`
    select name from pg_settings where name = any(${Object.keys(LIMITS)}) and setting = '0' order by name`;
  return (await query.execute(db)).rows.map(({ name }) => [name, LIMITS[name] ?? 0]);
}
