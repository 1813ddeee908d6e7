import type { Kysely } from "kysely";
import { pause } from "../../time/retry.ts";
import { type ConnectionLimits, crawlLimits } from "../connection/connection-options.ts";
import { openSession, type Session, withReconnect } from "../connection/session.ts";
import type { Database } from "../tables.ts";
import { checkCrawlEpoch, lockCrawl, raiseCrawlEpoch } from "./crawl.ts";

/** How long to wait for another crawler of the same report to end. The server notices at once when one is killed. */
const MAX_LOCK_WAIT_MS = 60_000;
const POLL_MS = 250;

export type CrawlSession = {
  /**
   * Runs a statement or transaction while no other crawler of the report can, and retries it when the connection is
   * lost.
   *
   * @throws CrawlGoneError when another crawler has taken over the crawl
   */
  run: <T>(operation: (db: Kysely<Database>) => Promise<T>) => Promise<T>;
  close(): Promise<void>;
};

export type CrawlSessionOptions = {
  url: string;
  reportId: string;
  signal: AbortSignal;
  onLoss: (error: Error) => void;
  limits?: Partial<ConnectionLimits> | undefined;
};

/**
 * The session of a report's only crawler: all its writes go through the connection that holds
 * the report's lock, so a crawler that has lost the lock cannot write. A crawler that takes the
 * lock again continues only if no other crawler has held it in the meantime.
 */
export function openCrawlSession(options: CrawlSessionOptions): CrawlSession {
  const { reportId, signal, onLoss } = options;
  let session: Session | undefined;
  /** The lost session, which the server may still consider alive. */
  let lost: Session | undefined;
  /** This crawler's epoch; undefined before it first holds the lock, or when there is no report. */
  let epoch: number | undefined;
  let queue: Promise<unknown> = Promise.resolve();

  const open = async (): Promise<Session> => {
    const opened = await openLocked(options, lost);
    try {
      if (epoch === undefined) epoch = await raiseCrawlEpoch(opened.db, reportId);
      else await checkCrawlEpoch(opened.db, reportId, epoch);
      return opened;
    } catch (error) {
      await opened.close();
      throw error;
    }
  };

  const attempt = async <T>(operation: (db: Kysely<Database>) => Promise<T>): Promise<T> => {
    session ??= await open();
    try {
      return await operation(session.db);
    } catch (error) {
      // A connection whose statement failed may be gone; a new one costs little.
      await session.close();
      lost = session;
      session = undefined;
      throw error;
    }
  };

  return {
    run(operation) {
      const result = queue.then(() => withReconnect(() => attempt(operation), { signal, onLoss }));
      queue = result.catch(() => {});
      return result;
    },
    async close() {
      await queue;
      await session?.close();
    },
  };
}

async function openLocked(options: CrawlSessionOptions, lost: Session | undefined): Promise<Session> {
  const { url, reportId, signal, limits } = options;
  const session = await openSession({
    url,
    applicationName: "site-validator crawler",
    limits: { ...crawlLimits, ...limits },
    replaces: lost?.backend,
  });
  try {
    const started = performance.now();
    while (!(await lockCrawl(session.db, reportId))) {
      if (performance.now() - started > MAX_LOCK_WAIT_MS)
        throw new Error(`Another crawler is already crawling report ${reportId}.`);
      await pause(POLL_MS, signal);
      signal.throwIfAborted();
    }
    return session;
  } catch (error) {
    await session.close();
    throw error;
  }
}
