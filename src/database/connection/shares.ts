import { AsyncLocalStorage } from "node:async_hooks";
import type { PostgresPool, PostgresPoolClient } from "kysely";
import type { Pool } from "pg";
import { mayTake } from "../../domain/fair-share.ts";

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

type Waiting = { caller: string; start: () => void };

/**
 * A pool whose connections are shared fairly by callers. What runs for no caller takes any connection.
 *
 * @param openAside opens the pool of connections that hold locks, when it is first needed
 * @param waitMs how long a caller may wait for its share, in milliseconds
 */
export function sharedPool(
  pool: Pool,
  openAside: () => Pool,
  { max, waitMs }: { max: number; waitMs: number },
): PostgresPool {
  let locks: Pool | undefined;
  const held = new Map<string, number>();
  let used = 0;
  let waiting: Waiting[] = [];

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
      const timer = setTimeout(() => {
        leave();
        // The message of node-postgres, which means that a retry may succeed.
        reject(new Error("timeout exceeded when trying to connect"));
      }, waitMs);
      const own: Waiting = {
        caller,
        start: () => {
          leave();
          resolve(begin(caller));
        },
      };
      waiting.push(own);
    });
  }

  return {
    options: pool.options,
    async end() {
      await Promise.all([pool.end(), locks?.end()]);
    },
    async connect() {
      const caller = callers.getStore();
      if (caller === ASIDE) {
        locks ??= openAside();
        return (await locks.connect()) as PostgresPoolClient;
      }
      const end = caller === undefined || isFree(caller) ? begin(caller) : await share(caller);
      try {
        const client = await pool.connect();
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
