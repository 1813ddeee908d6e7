import { createHash } from "node:crypto";
import type { Compilable, Kysely, QueryResult, RawBuilder } from "kysely";
import type pg from "pg";
import type { Database } from "../tables.ts";

/** The statements to prepare: their names, the same in all connections, by their texts. */
const names = new Map<string, string>();

/** PostgreSQL's feature_not_supported, which it also reports when a prepared statement's columns have changed. */
const FEATURE_NOT_SUPPORTED = "0A000";

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
      if (error.code !== FEATURE_NOT_SUPPORTED) throw error;
      // It was refused before it did anything, so that a write is not repeated either.
      generation += 1;
      return run();
    });
  }) as typeof client.query;
}
