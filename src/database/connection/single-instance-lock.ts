import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { UsageError } from "../../domain/errors.ts";
import type { Logger } from "../../telemetry/log.ts";
import { retry } from "../../time/retry.ts";
import { type ConnectionLimits, SERVER_KEEPALIVE_MS } from "./connection-options.ts";
import { openSession, type Session } from "./session.ts";

/** How long to wait for the lock: the server may need a moment to notice that a service was killed. */
const MAX_WAIT_MS = 2_000;
/** How long to wait for a lock that was lost: the server holds it until it notices that the last try's connection is gone. */
const MAX_RETURN_MS = SERVER_KEEPALIVE_MS + 15_000;
const backoff = { baseMs: 500, maxMs: 2_000 };

/**
 * Takes the single-instance lock of a database: two services on one database would both run every Job.
 * The lock belongs to a connection, so it is released when a service is killed; after a lost
 * connection the lock is taken again.
 *
 * @throws UsageError when another service holds it
 */
export async function holdSingleInstanceLock(
  url: string,
  log: Logger,
  limits?: Partial<ConnectionLimits>,
): Promise<{ lost: Promise<Error>; release(): Promise<void> }> {
  const stop = new AbortController();
  let session = await acquire({ url, limits });

  /** Resolves when another service has taken the lock in the meantime. */
  async function watch(): Promise<Error> {
    try {
      for (;;) {
        await session.closed;
        stop.signal.throwIfAborted();
        log.warn("database connection lost, taking the single-instance lock again");
        const replaces = session.backend;
        session = await retry(() => acquire({ url, limits, replaces }, MAX_RETURN_MS), {
          signal: stop.signal,
          backoff,
          shouldRetry: (error) => !(error instanceof UsageError),
        });
        if (stop.signal.aborted) await session.close();
      }
    } catch (error) {
      if (stop.signal.aborted || !(error instanceof Error)) return new Promise<never>(() => {});
      return error;
    }
  }

  return {
    lost: watch(),
    async release() {
      stop.abort();
      await session.close();
    },
  };
}

type AcquireOptions = Pick<Parameters<typeof openSession>[0], "url" | "limits" | "replaces">;

async function acquire(options: AcquireOptions, maxWaitMs = MAX_WAIT_MS): Promise<Session> {
  const deadline = performance.now() + maxWaitMs;
  const session = await openSession({ ...options, applicationName: "site-validator lock", heartbeat: true });
  try {
    for (;;) {
      const { rows } = await sql<{ got: boolean }>`
        select pg_try_advisory_lock(hashtext('site-validator standalone')) as got`.execute(session.db);
      if (rows[0]?.got) return session;
      if (performance.now() > deadline)
        throw new UsageError(
          "Another site-validator runs on this database. Stop it, or set DATABASE_URL to another database.",
        );
      await sleep(200);
    }
  } catch (error) {
    await session.close();
    throw error;
  }
}
