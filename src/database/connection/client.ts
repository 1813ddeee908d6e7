import pg from "pg";
import { type Address, connectionOptions } from "./connection-options.ts";

/** A server that does not answer a goodbye is left without one after so long. */
const CLOSE_MS = 1_000;
/** What node-postgres says when `query_timeout` is over. */
const QUERY_TIMEOUT = "Query read timeout";

/** A connection outside a pool, not yet connected. A loss of it between two queries does not end the process. */
export function createClient(address: Address): pg.Client {
  const client = new pg.Client(connectionOptions(address));
  // The next query fails, which is soon enough; without a listener the process would end here.
  client.on("error", () => {});
  endWhenSilent(client);
  return client;
}

/**
 * Ends a client whose query was not answered in time. node-postgres leaves it as it is: the
 * query blocks all that follow, and a pool would hand it out again (brianc/node-postgres#3399).
 * Its `end` does not wait for a server that is gone, either.
 */
export function endWhenSilent(client: pg.ClientBase): void {
  const { query, end } = client as pg.Client;
  const guarded = client as pg.Client;
  guarded.query = ((...given: unknown[]) => {
    const result = Reflect.apply(query, client, given) as Promise<unknown> | undefined;
    // Before the caller hears of it: a pool must not take the client back.
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

/** Queries the client now and then, so that a silent loss is noticed. @returns ends it */
export function startHeartbeat(client: pg.Client, everyMs: number): () => void {
  let waiting = false;
  const timer = setInterval(async () => {
    if (waiting) return;
    waiting = true;
    // What it throws has ended the client, which is what counts.
    await client.query("select 1").catch(() => {});
    waiting = false;
  }, everyMs);
  return () => clearInterval(timer);
}
