import { AsyncLocalStorage } from "node:async_hooks";
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from "kysely";
import type { Pool, PoolClient } from "pg";
import pg from "pg";
import { mayTake } from "../../domain/fair-share.ts";
import { within } from "../../time/within.ts";
import type { Database } from "../tables.ts";
import { endWhenSilent } from "./client.ts";
import { type Address, connectionOptions, defaultLimits } from "./connection-options.ts";
import { DeposedError, joinTerm, type LeaderTerm } from "./leader-term.ts";
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
};

/** Connections that only hold locks, beside the pool: as many as requests with an Idempotency-Key run at once. */
export const MAX_LOCKS = 4;

/** A pool and Kysely on top of it. `db.destroy()` closes both. */
export function connect(options: ConnectOptions): Kysely<Database> {
  const { maxConnections: max } = options;
  const pool = sharedPool(openPool(options, max), () => openPool(options, MAX_LOCKS), {
    max,
    waitMs: options.limits?.connectMs ?? defaultLimits.connectMs,
  });
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
}

function openPool(options: ConnectOptions, max: number): pg.Pool {
  const { onIdleError, leader, onDeposed } = options;
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

type Waiting = { caller: string; start: () => void; fail: (message: string) => void };

/** Messages of node-postgres, which mean that a retry may succeed. */
const TIMEOUT = "timeout exceeded when trying to connect";
const ENDED = "Cannot use a pool after calling end on the pool";

/**
 * A pool whose connections are shared fairly by callers. What runs for no caller takes any connection.
 *
 * @param openAside opens the pool of connections that hold locks, when it is first needed
 * @param waitMs how long a caller may wait for its share and a connection together, in milliseconds
 * @param now a clock that never goes back, in milliseconds
 */
export function sharedPool(
  pool: Pool,
  openAside: () => Pool,
  { max, waitMs, now = () => performance.now() }: { max: number; waitMs: number; now?: () => number },
): PostgresPool {
  let locks: Pool | undefined;
  const held = new Map<string, number>();
  let used = 0;
  let waiting: Waiting[] = [];
  let isEnded = false;

  const isFree = (caller: string): boolean => mayTake(held.get(caller) ?? 0, used, max);

  function begin(caller: string | undefined): () => void {
    used += 1;
    if (caller !== undefined) held.set(caller, (held.get(caller) ?? 0) + 1);
    return () => {
      used -= 1;
      if (caller !== undefined) {
        const left = (held.get(caller) ?? 1) - 1;
        if (left > 0) held.set(caller, left);
        else held.delete(caller);
      }
      startNext();
    };
  }

  /** Of those that may take a connection now, the one that has waited longest, and so on. */
  function startNext(): void {
    for (let next = ready(); next; next = ready()) next.start();
  }

  function ready(): Waiting | undefined {
    return waiting.find(({ caller }) => isFree(caller));
  }

  function share(caller: string): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        waiting = waiting.filter((other) => other !== own);
      };
      const own: Waiting = {
        caller,
        fail: (message) => {
          leave();
          reject(new Error(message));
        },
        start: () => {
          leave();
          resolve(begin(caller));
        },
      };
      const timer = setTimeout(own.fail, waitMs, TIMEOUT);
      waiting.push(own);
    });
  }

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

  return {
    options: pool.options,
    async end() {
      isEnded = true;
      for (const { fail } of [...waiting]) fail(ENDED);
      await Promise.all([pool.end(), locks?.end()]);
    },
    async connect() {
      if (isEnded) throw new Error(ENDED);
      const caller = callers.getStore();
      if (caller === ASIDE) {
        locks ??= openAside();
        return (await locks.connect()) as PostgresPoolClient;
      }
      const deadline = now() + waitMs;
      const mustWait = caller !== undefined && !isFree(caller);
      const end = mustWait ? await share(caller) : begin(caller);
      try {
        const client = await (mustWait ? connectUntil(deadline) : pool.connect());
        // The pool sets it each time that it gives the client away.
        const { release } = client;
        client.release = (error) => {
          release(error);
          end();
        };
        return client as PostgresPoolClient;
      } catch (error) {
        end();
        throw error;
      }
    },
  };
}
