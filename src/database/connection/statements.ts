import { AsyncLocalStorage } from "node:async_hooks";
import { createHash } from "node:crypto";
import { type Compilable, type Kysely, type QueryResult, type RawBuilder, sql } from "kysely";
import type pg from "pg";
import type { Database } from "../tables.ts";
import { inSession } from "./pooler.ts";

/** The statements to prepare: their names, the same in all connections, by their texts. */
const names = new Map<string, string>();

/** PostgreSQL's feature_not_supported, which it also reports when a prepared statement's columns have changed. */
const FEATURE_NOT_SUPPORTED = "0A000";
/**
 * What PostgreSQL says through a pooler that does not follow prepared statements from server to server (PgBouncer before
 * 1.21, or with max_prepared_statements = 0): this one has none of the name, or has it from another client.
 */
const STATEMENT_OF_OTHERS: readonly (string | undefined)[] = ["26000", "42P05"];

/**
 * Runs a statement that each connection parses and plans only once. For frequent statements that always have the same
 * text and for which one index is the best way to all values: after some runs PostgreSQL keeps one plan for all of them,
 * which would be a bad one if the best way depended on how many rows a value has.
 */
export function executePrepared<Row>(
  db: Kysely<Database>,
  statement: Compilable<Row> | RawBuilder<Row>,
): Promise<QueryResult<Row>> {
  const compiled = statement.compile(db);
  if (!names.has(compiled.sql))
    names.set(compiled.sql, createHash("sha256").update(compiled.sql).digest("base64url").slice(0, 20));
  return db.executeQuery(compiled);
}

/**
 * Makes a connection prepare the statements of `executePrepared`, except inside transactions: after a migration has
 * changed a table's columns, PostgreSQL refuses older prepared statements, and only outside a transaction can such a
 * statement be prepared and run again.
 */
export function prepareStatements(client: pg.ClientBase): void {
  const { query } = client;
  let generation = 0;
  client.query = ((...given: unknown[]) => {
    const [text, values] = given;
    const name = typeof text === "string" && given.length === 2 ? names.get(text) : undefined;
    if (name === undefined || (client as pg.Client).getTransactionStatus() !== "I")
      return Reflect.apply(query, client, given);
    const run = (): Promise<unknown> =>
      Reflect.apply(query, client, [{ name: `${name}-${generation}`, text, values }]) as Promise<unknown>;
    return run().catch((error: { code?: string }) => {
      // Each was refused before it did anything, so that a write is not repeated either.
      if (STATEMENT_OF_OTHERS.includes(error.code)) return Reflect.apply(query, client, given) as Promise<unknown>;
      if (error.code !== FEATURE_NOT_SUPPORTED) throw error;
      generation += 1;
      return run();
    });
  }) as typeof client.query;
}

/**
 * Runs `work` on one connection, whose statements may take no longer than `ms`, waits for locks included: for what
 * somebody else does later if it takes too long. A shorter limit of the connection stays.
 */
export function withStatementLimit<Result>(
  db: Kysely<Database>,
  ms: number,
  work: (db: Kysely<Database>) => Promise<Result>,
): Promise<Result> {
  const limited = async (connection: Kysely<Database>): Promise<Result> => {
    await sql`
      select set_config('statement_timeout', least(nullif(setting::integer, 0), ${ms}::integer)::text, false)
      from pg_settings where name = 'statement_timeout'`.execute(connection);
    try {
      return await work(connection);
    } finally {
      // If this fails, the connection is lost, and with it the limit.
      await sql`reset statement_timeout`.execute(connection).catch(() => {});
    }
  };
  // What the work takes from elsewhere needs no session.
  const outside = AsyncLocalStorage.snapshot();
  return inSession(() => db.connection().execute((connection) => outside(limited, connection)));
}

/**
 * Until the end of the transaction, no statement takes longer than `statement_timeout`, or waits for a lock for longer than
 * `lock_timeout`, in milliseconds. Shorter limits of the connection stay.
 */
export async function limitTransaction(
  trx: Kysely<Database>,
  limits: Partial<Record<"statement_timeout" | "lock_timeout", number>>,
): Promise<void> {
  await sql`
    select set_config(s.name, least(nullif(s.setting::integer, 0), l.value::integer)::text, true)
    from pg_settings s join json_each_text(${JSON.stringify(limits)}::json) l on l.key = s.name`.execute(trx);
}

/**
 * Makes a transaction's statements find the rows of a part of a report by their ids. Freshly inserted rows have no
 * statistics, so the planner might scan the whole table, with the rows of all reports, for each part.
 */
export function planForParts(trx: Kysely<Database>): Promise<void> {
  return planBy(trx, { enable_nestloop: "on", ...forMany("off") });
}

/**
 * Plans the statements of a transaction for all findings of a report. PostgreSQL has no statistics of freshly inserted
 * rows, expects only a few, and would choose nested loops, whose time grows with the square of their number. The memory
 * is enough for half a million findings without the disk.
 *
 * Without nested loops a joined table is read as a whole, with the rows of all reports. So each statement says of each
 * table which reports' rows it needs, by values that an index can be searched for.
 */
export async function planForWholeReports(trx: Kysely<Database>): Promise<void> {
  // An unavoidable nested loop has such a high cost that the query would be compiled.
  await planBy(trx, { work_mem: "64MB", enable_nestloop: "off", ...forMany("on") });
}

/** A transaction may do both in turns, so each says what the other sets. */
const forMany = (value: "on" | "off") => ({
  enable_seqscan: value,
  enable_hashjoin: value,
  enable_mergejoin: value,
});

async function planBy(trx: Kysely<Database>, settings: Readonly<Record<string, string>>): Promise<void> {
  await sql`
    select set_config(name, value, true) from json_each_text(${JSON.stringify({ ...settings, jit: "off" })}::json) as settings (name, value)`.execute(
    trx,
  );
}

/** Whether somebody waits for a lock of this transaction. */
export async function isAwaited(trx: Kysely<Database>): Promise<boolean> {
  const { rows } = await sql`
    select from pg_locks l where not l.granted and pg_backend_pid() = any(pg_blocking_pids(l.pid)) limit 1`.execute(
    trx,
  );
  return rows.length > 0;
}
