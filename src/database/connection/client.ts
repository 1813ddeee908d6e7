import pg from "pg";
import { type Address, connectionOptions } from "./connection-options.ts";

/** How long to wait for the server when a connection is closed. */
const CLOSE_MS = 1_000;
/** The message of node-postgres when `query_timeout` is exceeded. */
const QUERY_TIMEOUT = "Query read timeout";

/** A client outside a pool, not yet connected. Losing the connection between two queries does not end the process. */
export function createClient(address: Address): pg.Client {
  const client = new pg.Client(connectionOptions(address));
  // The next query fails, which is soon enough; without a listener the error would end the process.
  client.on("error", () => {});
  endWhenSilent(client);
  return client;
}

/**
 * Ends a client after a query timeout. node-postgres keeps it: the query would block all later
 * ones, and a pool would hand the client out again (brianc/node-postgres#3399). Also makes
 * `end` give up on a server that is gone.
 */
export function endWhenSilent(client: pg.ClientBase): void {
  const { query, end } = client as pg.Client;
  const guarded = client as pg.Client;
  guarded.query = ((...given: unknown[]) => {
    const result = Reflect.apply(query, client, given) as Promise<unknown> | undefined;
    // Registered before the caller sees the error, so that a pool does not take the client back.
    result?.catch?.((error: Error) => {
      if (error.message === QUERY_TIMEOUT) void guarded.end().catch(() => {});
    });
    return result;
  }) as typeof guarded.query;
  guarded.end = ((...given: unknown[]) => {
    const timer = setTimeout(() => guarded.connection.stream.destroy(), CLOSE_MS).unref();
    client.once("end", () => clearTimeout(timer));
    return Reflect.apply(end, client, given);
  }) as typeof guarded.end;
}

/** Sends a query at regular intervals, so that a silent loss is noticed. @returns a function that stops this */
export function startHeartbeat(client: pg.Client, everyMs: number): () => void {
  let waiting = false;
  const timer = setInterval(async () => {
    if (waiting) return;
    waiting = true;
    // A failure has already ended the client.
    await client.query("select 1").catch(() => {});
    waiting = false;
  }, everyMs);
  return () => clearInterval(timer);
}
