import type { Kysely } from "kysely";
import { readQueue } from "../database/checks/leases.ts";
import { subscribe } from "../database/connection/client.ts";
import type { ConnectionLimits } from "../database/connection/connection-options.ts";
import { withReconnect } from "../database/connection/session.ts";
import { CHANNEL, notify } from "../database/notifications.ts";
import type { Database } from "../database/tables.ts";
import { isCrawlOver } from "../domain/report-over.ts";
import type { Mask } from "../domain/sign-in/known-secrets.ts";
import type { Logger } from "../telemetry/log.ts";
import { createNotifier } from "../time/notifier.ts";
import { type CheckContext, failCrashed } from "../transactions/end-checks.ts";
import { createPageCheck, type FetchSource } from "./check-page.ts";
import type { EngineRunner } from "./engine.ts";
import { createHeldLeases } from "./held-leases.ts";
import { createResultWriter } from "./result-writer.ts";
import type { Reuse } from "./reuse.ts";

export type CheckerOptions = {
  db: Kysely<Database>;
  /** For the connection that LISTENs. */
  databaseUrl: string;
  /** Limits of that connection. */
  databaseLimits?: Partial<ConnectionLimits>;
  context: CheckContext;
  runner: EngineRunner;
  fetchSource?: FetchSource;
  /** `false`: no source is kept after its check. By default those of pages with findings are kept. */
  keepsSources?: boolean;
  /** Finds what was found before on pages that have not changed. By default each page is checked. */
  reuse?: Reuse | undefined;
  /** Masks known secrets of the site in what is stored. */
  mask?: Mask;
  /** Awaited before each check, to know the secrets of the moment. */
  beforeCheck?: () => Promise<void>;
  log: Logger;
  now: () => Date;
  /** Abort it to stop the checker, which then releases its leases. */
  signal: AbortSignal;
};

/** Interval of polling the queue: notifications may be lost. */
const POLL_MS = 1_000;

/**
 * Runs a report's checks of one kind until all have ended and the crawl can add no more.
 * Any number of processes may share the work.
 *
 * @returns false when the signal stopped it before that
 */
export async function runChecker(options: CheckerOptions): Promise<boolean> {
  const { db, context, runner, log, now, signal, mask = (value) => value, beforeCheck } = options;
  const { reportId } = context;
  const running = new Set<Promise<void>>();
  const tasks = new AbortController();
  let recordedSinceNotice = true;
  let recorded = 0;
  let fault: unknown;
  const { notify: wake, wait } = createNotifier();

  const retrying = <T>(operation: () => Promise<T>): Promise<T> =>
    withReconnect(operation, {
      signal,
      onLoss: (error) => log.warn("database connection lost", { error }),
    });
  const leases = createHeldLeases({ ...options, concurrency: () => runner.concurrency, retrying }, wake);
  const results = createResultWriter({ db, context, log, now, signal }, (lease) => {
    leases.letGo(lease);
    recordedSinceNotice = true;
    recorded += 1;
  });
  const check = createPageCheck(
    { ...options, signal: tasks.signal, retrying },
    {
      onOutcome: (result) => results.add({ ...result, outcome: mask(result.outcome) }),
      onLetGo: (lease) => leases.letGo(lease),
      onFault: (error) => {
        fault ??= error;
      },
    },
  );

  /** What cannot be masked is not checked. */
  const giveUp =
    (lease: Parameters<typeof check>[0]) =>
    (error: unknown): void => {
      fault ??= error;
      leases.letGo(lease);
    };

  /** Starts checks and leasing, as far as the concurrency allows. */
  const advance = (): void => {
    while (running.size < runner.concurrency) {
      const next = leases.take();
      if (!next) break;
      const begun = beforeCheck ? retrying(beforeCheck).then(() => check(next), giveUp(next)) : check(next);
      const task = begun.finally(() => {
        running.delete(task);
        leases.ran(next);
        wake();
      });
      running.add(task);
    }
    leases.refill();
  };

  /** Whether the work is complete. Called when this process holds no checks: then it may lease one that runs alone. */
  const isOver = async (): Promise<boolean> => {
    await results.drain();
    const state = await retrying(() => readQueue(db, context));
    if (!state || state.deleted) return true;
    if (state.expired && (await retrying(() => failCrashed(db, context, now()))) > 0) return isOver();
    if (state.alone && (await leases.refillIsolated())) wake();
    if (state.queued || state.leased) return false;
    if (recordedSinceNotice) await retrying(() => notify(db, reportId));
    recordedSinceNotice = false;
    return isCrawlOver(state.crawlState);
  };

  const pollNow = (): void => {
    leases.expectMore();
    wake();
  };
  const subscription = new AbortController();
  // Notifications may be lost. They only shorten the wait for the next poll.
  const subscribed = subscribe([CHANNEL], {
    url: options.databaseUrl,
    limits: options.databaseLimits,
    signal: subscription.signal,
    applicationName: "site-validator checker (listen)",
    onNotification: (id) => {
      if (id === reportId) pollNow();
    },
    onConnected: pollNow,
    onLoss: (error) => log.debug("cannot listen to the database", { error }),
  });

  try {
    while (!signal.aborted) {
      fault ??= results.failure() ?? leases.failure();
      if (fault !== undefined) throw fault;
      advance();
      if (running.size === 0 && leases.isEmpty() && (await isOver())) {
        log.info("all checks have ended", { recorded });
        return true;
      }
      if (!(await wait(POLL_MS, signal))) leases.expectMore();
    }
  } catch (error) {
    // An aborted signal makes waiting for the database throw.
    if (!signal.aborted) throw error;
  } finally {
    tasks.abort(new Error("The checker is stopping."));
    subscription.abort();
    await subscribed;
    await leases.stop();
    await results.drain().catch(() => {});
    await runner.close();
    await Promise.allSettled(running);
    await leases.releaseAll();
  }
  log.info("stopped before the end", { recorded, reason: String(signal.reason) });
  return false;
}
