import pg from "pg";
import type { Backoff } from "../../domain/backoff.ts";
import { repeat } from "../../time/retry.ts";
import { type Address, connectionOptions, defaultLimits } from "./connection-options.ts";

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

export type SubscribeOptions = Address & {
  onNotification: (payload: string, channel: string) => void;
  /**
   * Called whenever notifications begin to arrive. Some may have been lost before that, so read
   * the current state. If it throws, the connection is closed and a new one is opened.
   */
  onConnected: () => void | Promise<void>;
  /** Called with the error when the connection is lost or cannot be opened. */
  onLoss: (error: unknown) => void;
  /** Ends the subscription. */
  signal: AbortSignal;
};

export const subscribeBackoff: Backoff = { baseMs: 100, maxMs: 10_000 };
/** A connection that lasted this long resets the backoff. */
const HEALTHY_MS = 5_000;

/**
 * LISTENs to channels on its own connection until `signal` aborts, and reconnects whenever the
 * connection is lost. A listener sends nothing by itself, so it queries the server regularly
 * to notice a silent loss.
 */
export function subscribe(channels: readonly string[], options: SubscribeOptions): Promise<void> {
  const { signal, onLoss: onError } = options;
  return repeat(() => listenOnce(channels, options), {
    signal,
    onError,
    backoff: subscribeBackoff,
    healthyMs: HEALTHY_MS,
  });
}

/** Resolves when `signal` aborts. @throws the error that ended the connection earlier */
async function listenOnce(channels: readonly string[], options: SubscribeOptions): Promise<void> {
  const { signal, onNotification, onConnected, limits } = options;
  const client = createClient(options);
  client.on("notification", ({ payload = "", channel }) => onNotification(payload, channel));
  const lost = new Promise<never>((_, reject) => {
    client.once("error", reject);
    client.once("end", () => reject(new Error("Connection terminated")));
  });
  lost.catch(() => {});
  const end = () => void client.end().catch(() => {});
  let stopHeartbeat = () => {};
  signal.addEventListener("abort", end, { once: true });
  try {
    // `connect` never settles when the client is ended while it connects.
    await Promise.race([client.connect(), lost]);
    for (const channel of channels) await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    stopHeartbeat = startHeartbeat(client, limits?.heartbeatMs ?? defaultLimits.heartbeatMs);
    await onConnected();
    await lost;
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    stopHeartbeat();
    signal.removeEventListener("abort", end);
    await client.end().catch(() => {});
  }
}
