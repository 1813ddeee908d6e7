import type { ClientConfig } from "pg";

/** Time limits of one connection, in milliseconds. */
export type ConnectionLimits = {
  /** For a new connection; in a pool also for a place when all connections are in use. */
  connectMs: number;
  /** For a statement, from its arrival at the server to its last row. The server ends it. */
  statementMs: number;
  /** For each lock that a statement waits for, advisory locks included. The server ends the statement. */
  lockMs: number;
  /** Between two statements of a transaction. The server ends the connection, so that its locks go. */
  idleInTransactionMs: number;
  /**
   * For an answer. The client gives the connection up: this is what ends the wait for a
   * server whose packets vanish. Above `statementMs`, so that a server that is just slow
   * says so itself.
   */
  queryMs: number;
  /** Between two queries that a connection sends only to see whether it is alive. */
  heartbeatMs: number;
};

/**
 * For everything that has no limits of its own. Their sum with the longest pauses between
 * tries stays below a minute (test/unit/connection-limits.test.ts): that long it may take
 * until the programs work on after a fault of the network.
 */
export const defaultLimits: ConnectionLimits = {
  connectMs: 8_000,
  statementMs: 12_000,
  lockMs: 8_000,
  idleInTransactionMs: 30_000,
  queryMs: 15_000,
  heartbeatMs: 10_000,
};

/** For the crawler's session: it reads a frontier of up to half a million URLs, and writes sources of 12 MB at once. */
export const crawlLimits: ConnectionLimits = { ...defaultLimits, statementMs: 30_000, queryMs: 35_000 };

/** For changes of the schema: they rewrite tables, and wait for whoever migrates at the same time. */
export const migrationLimits: ConnectionLimits = {
  ...defaultLimits,
  statementMs: 600_000,
  lockMs: 600_000,
  idleInTransactionMs: 600_000,
  queryMs: 610_000,
};

/** An idle connection is probed after so long, by either end. */
const KEEPALIVE_IDLE_SECONDS = 10;
const KEEPALIVE_INTERVAL_SECONDS = 5;
const KEEPALIVE_PROBES = 3;

/** After so long the server gives up a client that has vanished: its locks go with it. Milliseconds. */
export const SERVER_KEEPALIVE_MS = (KEEPALIVE_IDLE_SECONDS + KEEPALIVE_INTERVAL_SECONDS * KEEPALIVE_PROBES) * 1_000;

/** Parameters of the session, set as it starts. Those of TCP mean nothing on a Unix socket. */
const sessionParameters = {
  TimeZone: "UTC",
  tcp_keepalives_idle: KEEPALIVE_IDLE_SECONDS,
  tcp_keepalives_interval: KEEPALIVE_INTERVAL_SECONDS,
  tcp_keepalives_count: KEEPALIVE_PROBES,
  tcp_user_timeout: SERVER_KEEPALIVE_MS,
};

export type Address = {
  /** `postgres://user:password@host:port/database`; its parameters win over what is set here. */
  url: string;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  /** Those that are not given are the default's. */
  limits?: Partial<ConnectionLimits> | undefined;
};

/** What every connection of the project to Postgres is made with, alone or in a pool. */
export function connectionOptions({ url, applicationName, limits }: Address): ClientConfig {
  const { connectMs, statementMs, lockMs, idleInTransactionMs, queryMs } = { ...defaultLimits, ...limits };
  return {
    connectionString: url,
    application_name: applicationName,
    options: Object.entries(sessionParameters)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(" "),
    connectionTimeoutMillis: connectMs,
    query_timeout: queryMs,
    statement_timeout: statementMs,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
    // Linux would wait for two hours before its first probe.
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_IDLE_SECONDS * 1_000,
  };
}
