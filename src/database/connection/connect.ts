import { AsyncLocalStorage } from "node:async_hooks";
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from "kysely";
import type { Pool, PoolClient } from "pg";
import pg from "pg";
import { within } from "../../time/within.ts";
import type { Database } from "../tables.ts";
import { endWhenSilent } from "./client.ts";
import { type Address, connectionOptions, defaultLimits } from "./connection-options.ts";
import { createFairShares } from "./fair-shares.ts";
import { DeposedError, joinTerm, type LeaderTerm } from "./leader-term.ts";
import { needsSession } from "./pooler.ts";
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
  /** A pooler in transaction mode before the same database: it gets all statements but those that need a session. */
  poolerUrl?: string | undefined;
};

/** Connections that only hold locks, beside the pool: as many as requests with an Idempotency-Key run at once. */
export const MAX_LOCKS = 4;
/** Beside a pooler: for work that sets something for its session. */
const MAX_SESSIONS = 4;

/** A pool and Kysely on top of it. `db.destroy()` closes both. */
export function connect(options: ConnectOptions): Kysely<Database> {
  const { maxConnections: max, poolerUrl } = options;
  const shared = poolerUrl === undefined ? options : { ...options, url: poolerUrl, isPooled: true };
  const pools = {
    pool: openPool(shared, max),
    openAside: () => openPool(options, MAX_LOCKS),
    ...(poolerUrl !== undefined && { openSessions: () => openPool(options, MAX_SESSIONS) }),
  };
  const pool = sharedPool(pools, { max, waitMs: options.limits?.connectMs ?? defaultLimits.connectMs });
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
}

function openPool(options: ConnectOptions, max: number): pg.Pool {
  const { onIdleError, leader, onDeposed, isPooled } = options;
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
      // A pooler follows this one setting of a client from server to server.
      if (isPooled) await client.query("set time zone 'UTC'");
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

/** For whom a connection is. ASIDE: it only holds a lock, and comes from a pool of its own. */
const callers = new AsyncLocalStorage<string | typeof ASIDE>();
const ASIDE = Symbol("aside");

/** Runs work whose connections count for a caller: of each pool it gets no more than its share (docs/adr/0068). */
export function onBehalfOf<Result>(caller: string, work: () => Result): Result {
  return callers.run(caller, work);
}

/**
 * Runs work that takes a connection to hold a lock while others do what is locked. If it were one of the same pool, those
 * that hold locks could have all that they wait for.
 *
 * @param work gets a function that runs what is locked, on the connections of the caller
 */
export function aside<Result>(work: (locked: <T>(part: () => T) => T) => Result): Result {
  return callers.run(ASIDE, work, AsyncLocalStorage.snapshot());
}

/** Messages of node-postgres, which mean that a retry may succeed. */
const TIMEOUT = "timeout exceeded when trying to connect";
const ENDED = "Cannot use a pool after calling end on the pool";

/** The pools of one `connect`. Those that are functions are opened when they are first needed. */
export type Pools = {
  /** For what has no other. */
  pool: Pool;
  /** Connections that hold locks. */
  openAside: () => Pool;
  /** Connections that have one session, where those of `pool` have none. */
  openSessions?: () => Pool;
};

type SharedOptions = {
  /** How many connections the pool has. */
  max: number;
  /** How long a caller may wait for its share and a connection together, in milliseconds. */
  waitMs: number;
  /** A clock that never goes back, in milliseconds. */
  now?: () => number;
};

/** A pool whose connections are shared fairly by callers. What runs for no caller takes any connection. */
export function sharedPool(
  { pool, openAside, openSessions }: Pools,
  { max, waitMs, now = () => performance.now() }: SharedOptions,
): PostgresPool {
  const shares = createFairShares({ max, waitMs });
  const [locks, sessions] = [onDemand(openAside), openSessions && onDemand(openSessions)];
  let isEnded = false;

  /** A connection for a caller whose wait for its share took a part of its time. One that comes too late is given back. */
  async function connectUntil(deadline: number): Promise<PoolClient> {
    const connecting = pool.connect();
    const client = await within(Math.max(1, deadline - now()), connecting, undefined);
    if (client) return client;
    connecting.then(
      (late) => late.release(),
      () => {},
    );
    throw new Error(TIMEOUT);
  }

  async function connectFor(caller: string | undefined): Promise<PoolClient> {
    const deadline = now() + waitMs;
    const mustWait = caller !== undefined && !shares.isFree(caller);
    const end = mustWait ? await shares.wait(caller, TIMEOUT) : shares.take(caller);
    try {
      const client = await (mustWait ? connectUntil(deadline) : pool.connect());
      // The pool sets it each time that it gives the client away.
      const { release } = client;
      client.release = (error) => {
        release(error);
        end();
      };
      return client;
    } catch (error) {
      end();
      throw error;
    }
  }

  return {
    options: pool.options,
    async end() {
      isEnded = true;
      shares.end(ENDED);
      await Promise.all([pool.end(), locks.made()?.end(), sessions?.made()?.end()]);
    },
    async connect() {
      if (isEnded) throw new Error(ENDED);
      const caller = callers.getStore();
      if (caller === ASIDE) return (await locks.get().connect()) as PostgresPoolClient;
      if (sessions && needsSession()) return (await sessions.get().connect()) as PostgresPoolClient;
      return (await connectFor(caller)) as PostgresPoolClient;
    },
  };
}

function onDemand(open: () => Pool): { get: () => Pool; made: () => Pool | undefined } {
  let pool: Pool | undefined;
  return {
    get() {
      pool ??= open();
      return pool;
    },
    made: () => pool,
  };
}
