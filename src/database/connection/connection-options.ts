import type { ClientConfig } from "pg";

/** Time limits of one connection, in milliseconds. */
export type ConnectionLimits = {
  /** For a new connection; in a pool also for the wait while all connections are in use. */
  connectMs: number;
  /** For a statement, from its arrival at the server to its last row. The server ends it. */
  statementMs: number;
  /** For each lock that a statement waits for, advisory locks included. The server ends the statement. */
  lockMs: number;
  /** Between two statements of a transaction. The server ends the connection, which releases its locks. */
  idleInTransactionMs: number;
  /**
   * For a response. After that the client gives up the connection: this ends the wait for a
   * server whose packets are lost. Longer than `statementMs`, so that a server that is only
   * slow reports that itself.
   */
  queryMs: number;
  /** Between two queries that only test whether the connection is alive. */
  heartbeatMs: number;
};

/**
 * The default limits. Together with the longest pauses between retries they stay below a minute
 * (test/unit/database/connection-limits.test.ts), so that the programs recover from a network fault
 * within that time.
 */
export const defaultLimits: ConnectionLimits = {
  connectMs: 8_000,
  statementMs: 12_000,
  lockMs: 8_000,
  idleInTransactionMs: 30_000,
  queryMs: 15_000,
  heartbeatMs: 10_000,
};

/** For the crawler's session: it reads a frontier of up to half a million URLs, and writes page sources of up to 12 MB. */
export const crawlLimits: ConnectionLimits = { ...defaultLimits, statementMs: 30_000, queryMs: 35_000 };

/** What differs for a comparison: one statement pairs, or counts, all findings of two reports. */
export const comparisonLimits = { statementMs: 40_000, queryMs: 45_000 } satisfies Partial<ConnectionLimits>;

/**
 * For migrations: a statement may rewrite a table. The wait for a lock is short, since all other
 * queries on the table queue behind it; `migrate` tries again.
 */
export const migrationLimits: ConnectionLimits = {
  ...defaultLimits,
  statementMs: 600_000,
  lockMs: 3_000,
  idleInTransactionMs: 600_000,
  queryMs: 610_000,
};

/** Both ends probe a connection that has been idle for this long. */
const KEEPALIVE_IDLE_SECONDS = 10;
const KEEPALIVE_INTERVAL_SECONDS = 5;
const KEEPALIVE_PROBES = 3;

/** After this time the server gives up a client that has vanished, and releases its locks. Milliseconds. */
export const SERVER_KEEPALIVE_MS = (KEEPALIVE_IDLE_SECONDS + KEEPALIVE_INTERVAL_SECONDS * KEEPALIVE_PROBES) * 1_000;

/** Session parameters, set when the session starts. Those for TCP have no effect on a Unix socket. */
const sessionParameters = {
  TimeZone: "UTC",
  tcp_keepalives_idle: KEEPALIVE_IDLE_SECONDS,
  tcp_keepalives_interval: KEEPALIVE_INTERVAL_SECONDS,
  tcp_keepalives_count: KEEPALIVE_PROBES,
  tcp_user_timeout: SERVER_KEEPALIVE_MS,
};

export type Address = {
  /** `postgres://user:password@host:port/database`; its parameters take precedence over the options set here. */
  url: string;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  /** Defaults apply to limits that are left out. */
  limits?: Partial<ConnectionLimits> | undefined;
  /** The address is that of a pooler in transaction mode, which refuses what is set for a session when it starts. */
  isPooled?: boolean | undefined;
};

/**
 * The URL for one Job, which has the token that names its report (job-role.ts). It is part of the URL, so that all
 * of the Job's connections have it.
 */
export function withJobToken(url: string, token: string): string {
  return `${url}${url.includes("?") ? "&" : "?"}job_token=${token}`;
}

function tokenParameter(url: string): Record<string, string> {
  const [, token] = /[?&]job_token=([0-9a-f.-]+)/.exec(url) ?? [];
  return token === undefined ? {} : { "site_validator.job_token": token };
}

/** The options of every connection to PostgreSQL, alone or in a pool. */
export function connectionOptions({ url, applicationName, limits, isPooled }: Address): ClientConfig {
  const { connectMs, statementMs, lockMs, idleInTransactionMs, queryMs } = { ...defaultLimits, ...limits };
  const session: ClientConfig = {
    options: Object.entries({ ...sessionParameters, ...tokenParameter(url) })
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(" "),
    statement_timeout: statementMs,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
  };
  return {
    ...(isPooled ? {} : session),
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: connectMs,
    query_timeout: queryMs,
    // By default, Linux sends the first probe after two hours.
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_IDLE_SECONDS * 1_000,
  };
}
