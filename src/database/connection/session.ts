import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient, sql } from "kysely";
import type pg from "pg";
import type { Backoff } from "../../domain/backoff.ts";
import { retry } from "../../time/retry.ts";
import type { Database } from "../tables.ts";
import { createClient, startHeartbeat } from "./client.ts";
import { type Address, defaultLimits } from "./connection-options.ts";
import { isConnectionLoss } from "./errors.ts";

export type SessionOptions = Address & {
  /** The backend of an earlier session that this one replaces. */
  replaces?: Backend | undefined;
  /** Whether to query the connection regularly, so that its loss is noticed although it is rarely used. */
  heartbeat?: boolean;
};

/** The server's process of a connection. The start time is needed because process ids are reused. */
export type Backend = { pid: number; started: string };

/** Exactly one connection, so that its advisory locks are held as long as the session exists. */
export type Session = {
  /** For one statement or transaction at a time. Always fails once the connection is lost. */
  db: Kysely<Database>;
  backend: Backend;
  /** Resolves when the connection is closed, for whatever reason. */
  closed: Promise<void>;
  close(): Promise<void>;
};

/**
 * Opens a session and ends the one that it replaces: the connection of that one may be lost on
 * this side only, and the server would keep its locks until it notices.
 *
 * @throws the driver's error when no connection can be made
 */
export async function openSession({ replaces, heartbeat, ...address }: SessionOptions): Promise<Session> {
  const client = createClient(address);
  const closed = new Promise<void>((resolve) => client.once("end", resolve));
  await client.connect();
  const db = kyselyOn(client);
  let stopHeartbeat = () => {};
  const close = async () => {
    stopHeartbeat();
    await db.destroy();
    await client.end().catch(() => {});
  };
  try {
    const backend = await backendOf(db);
    if (replaces) await endBackend(db, replaces);
    if (heartbeat) stopHeartbeat = startHeartbeat(client, address.limits?.heartbeatMs ?? defaultLimits.heartbeatMs);
    closed.then(stopHeartbeat);
    return { db, backend, closed, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function kyselyOn(client: pg.Client): Kysely<Database> {
  const connection: PostgresPoolClient = Object.assign(client, { release: () => {} }) as unknown as PostgresPoolClient;
  const pool: PostgresPool = { connect: async () => connection, end: async () => {}, options: {} };
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
}

async function backendOf(db: Kysely<Database>): Promise<Backend> {
  const { rows } = await sql<Backend>`
    select pid, backend_start::text as started from pg_stat_activity where pid = pg_backend_pid()
  `.execute(db);
  const [backend] = rows;
  if (!backend) throw new Error("PostgreSQL does not show this connection in pg_stat_activity.");
  return backend;
}

async function endBackend(db: Kysely<Database>, { pid, started }: Backend): Promise<void> {
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity where pid = ${pid} and backend_start::text = ${started}
  `.execute(db);
}

/** How long a program retries while the database is unavailable before it gives up. */
const MAX_WAIT_MS = 60_000;
const backoff: Backoff = { baseMs: 50, maxMs: 2_000 };

/**
 * Retries an operation that failed because the database was unavailable, with growing pauses,
 * for up to a minute. The operation must be safe to repeat.
 *
 * @throws the operation's error: after the last retry if the connection was lost, otherwise at once
 */
export function withReconnect<T>(
  operation: () => Promise<T>,
  { signal, onLoss }: { signal?: AbortSignal; onLoss?: (error: Error) => void } = {},
): Promise<T> {
  return retry(operation, {
    ...(signal && { signal }),
    backoff,
    shouldRetry(error, { elapsedMs }) {
      if (!(error instanceof Error) || !isConnectionLoss(error)) return false;
      if (elapsedMs > MAX_WAIT_MS) return false;
      onLoss?.(error);
      return true;
    },
  });
}
