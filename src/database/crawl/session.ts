import { setTimeout as sleep } from "node:timers/promises";
import type { Kysely } from "kysely";
import { withReconnect } from "../connection/retry.ts";
import { openSession, type Session } from "../connection/session.ts";
import type { Database } from "../tables.ts";
import { lockCrawl } from "./crawl.ts";

/** How long to wait for another crawler of the same report to end: a killed one is noticed by its server at once. */
const PATIENCE_MS = 60_000;

export type CrawlSession = {
  /** Runs a statement or transaction while no other crawler of the report can; again when the connection was lost. */
  run: <T>(operation: (db: Kysely<Database>) => Promise<T>) => Promise<T>;
  close(): Promise<void>;
};

/**
 * The one crawler of a report: everything it writes goes through the connection that
 * holds the report's lock, so a crawler that has lost the lock cannot write.
 */
export function openCrawlSession(options: {
  url: string;
  reportId: string;
  signal: AbortSignal;
  onLoss: (error: Error) => void;
}): CrawlSession {
  let session: Session | undefined;
  let queue: Promise<unknown> = Promise.resolve();

  const attempt = async <T>(operation: (db: Kysely<Database>) => Promise<T>): Promise<T> => {
    session ??= await openLocked(options);
    try {
      return await operation(session.db);
    } catch (error) {
      // A connection whose statement failed may be gone; a new one costs little.
      await session.close();
      session = undefined;
      throw error;
    }
  };

  return {
    run(operation) {
      const result = queue.then(() =>
        withReconnect(() => attempt(operation), { signal: options.signal, onLoss: options.onLoss }),
      );
      queue = result.catch(() => {});
      return result;
    },
    async close() {
      await queue;
      await session?.close();
    },
  };
}

async function openLocked({ url, reportId, signal }: Parameters<typeof openCrawlSession>[0]): Promise<Session> {
  const session = await openSession({ url, applicationName: "site-validator crawler" });
  try {
    const started = performance.now();
    while (!(await lockCrawl(session.db, reportId))) {
      if (performance.now() - started > PATIENCE_MS)
        throw new Error(`Another crawler is at work on report ${reportId}.`);
      await sleep(250, undefined, { signal });
    }
    return session;
  } catch (error) {
    await session.close();
    throw error;
  }
}
