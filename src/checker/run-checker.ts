import { setTimeout as sleep } from "node:timers/promises";
import type { DecodedDocument } from "html-conformance/documents";
import type { Kysely } from "kysely";
import type { KeepableSource } from "../database/checks/keep-sources.ts";
import {
  LEASE_SECONDS,
  type Lease,
  type LeasedCheck,
  leaseChecks,
  leaseIsolatedCheck,
  markRuns,
  notifyReport,
  readQueue,
  releaseLeases,
  renewLeases,
} from "../database/checks/leases.ts";
import { type CheckContext, failCrashed, failUnpaid } from "../database/checks/record-outcomes.ts";
import { CHANNEL } from "../database/connection/channel.ts";
import type { ConnectionLimits } from "../database/connection/connection-options.ts";
import { environmentFault } from "../database/connection/environment-fault.ts";
import { withReconnect } from "../database/connection/retry.ts";
import { subscribe } from "../database/connection/subscribe.ts";
import { decodeSource, encodeSource } from "../database/crawl/page-sources.ts";
import { takeSlots } from "../database/crawl/rate-limits.ts";
import type { Database } from "../database/tables.ts";
import { monthOf } from "../domain/accounts/credits.ts";
import { PageError } from "../domain/failure.ts";
import { MAX_SOURCE_LENGTH } from "../domain/findings/bound-findings.ts";
import type { CheckKind, CheckOutcome } from "../domain/findings/findings.ts";
import type { Logger } from "../telemetry/log.ts";
import { createNotifier } from "../time/notifier.ts";
import { createSlotQueue } from "../time/slot-queue.ts";
import type { EngineRunner } from "./engine.ts";
import { createResultWriter } from "./result-writer.ts";
import { createRunMarker } from "./run-marker.ts";

export type CheckerOptions = {
  db: Kysely<Database>;
  /** For the connection that LISTENs. */
  databaseUrl: string;
  /** Limits of that connection. */
  databaseLimits?: Partial<ConnectionLimits>;
  context: CheckContext;
  runner: EngineRunner;
  /** Fetches a page's source again: the crawl's source is only for the first check. */
  fetchSource?: (
    url: string,
    options: { signal: AbortSignal; beforeRequest: () => Promise<void> },
  ) => Promise<DecodedDocument>;
  /** `false`: no source is kept after its check. By default those of pages with findings are kept. */
  keepsSources?: boolean;
  log: Logger;
  now: () => Date;
  /** Abort it to stop the checker, which then releases its leases. */
  signal: AbortSignal;
};

/** Interval of polling the queue: notifications may be lost. */
const POLL_MS = 1_000;
/** A lease survives three lost heartbeats. */
const HEARTBEAT_MS = (LEASE_SECONDS * 1_000) / 4;
/** Leases held in advance, in multiples of the runner's concurrency: an HTML check takes milliseconds, and so does leasing. */
const prefetch: Record<CheckKind, { low: number; batch: number }> = {
  html: { low: 2, batch: 4 },
  a11y: { low: 0.5, batch: 1 },
};

/** The most pages that a process checks again after a deadline: endless loops must not take twice their time. */
const MAX_DEADLINE_RETRIES = 20;

/**
 * Runs a report's checks of one kind until all have ended and the crawl can add no more.
 * Any number of processes may share the work.
 *
 * @returns false when the signal stopped it before that
 */
export async function runChecker(options: CheckerOptions): Promise<boolean> {
  const { db, context, runner, log, now, signal } = options;
  const { reportId, kind, spec } = context;
  const queue = { reportId, kind };
  const { low, batch } = prefetch[kind];
  const ready: LeasedCheck[] = [];
  const running = new Set<Promise<void>>();
  const held = new Map<string, Lease>();
  const tasks = new AbortController();
  let leasing: Promise<void> | undefined;
  /** The check that runs alone, if there is one. */
  let isolated: LeasedCheck | undefined;
  let deadlineRetries = 0;
  let mayHaveMore = true;
  /** How often the database has notified of a change. */
  let notices = 0;
  let recordedSinceNotice = true;
  let recorded = 0;
  let fault: unknown;
  const { notify: wake, wait } = createNotifier();

  const letGo = (lease: Lease): void => {
    if (held.get(lease.checkId) === lease) held.delete(lease.checkId);
  };
  const resultWriter = createResultWriter({ db, context, log, now, signal }, (lease) => {
    letGo(lease);
    recordedSinceNotice = true;
    recorded += 1;
  });
  const retrying = <T>(operation: () => Promise<T>): Promise<T> =>
    withReconnect(operation, {
      signal,
      onLoss: (error) => log.warn("database connection lost", { error }),
    });

  const marker = createRunMarker((begun, ended) => retrying(() => markRuns(db, begun, ended)));

  const beforeRequest = createSlotQueue({
    rateLimit: spec.rateLimit,
    take: (wanted) =>
      retrying(() => takeSlots(db, reportId, spec.rateLimit, wanted)).catch((error: unknown) => {
        // The engine did not cause this error, and must not take it for an error of the page.
        throw tasks.signal.aborted ? error : (environmentFault(error) ?? error);
      }),
    sleep: (ms) => sleep(ms, undefined, { signal: tasks.signal }),
  });

  const documentOf = async (leased: LeasedCheck): Promise<DecodedDocument | undefined> => {
    if (leased.source) return decodeSource(leased.source);
    if (kind !== "html") return undefined;
    return options.fetchSource?.(leased.url, { signal: tasks.signal, beforeRequest });
  };

  /** The checked source, if it may be kept. */
  const sourceOf = async (leased: LeasedCheck, document: DecodedDocument | undefined) => {
    if (options.keepsSources === false || kind !== "html" || !document) return undefined;
    const { length } = document.source;
    if (leased.source) return { bytes: leased.source.body.byteLength, length };
    if (length > MAX_SOURCE_LENGTH) return undefined;
    const fetched = await encodeSource(document);
    return { bytes: fetched.body.byteLength, length, fetched };
  };

  const check = async (leased: LeasedCheck): Promise<void> => {
    let outcome: CheckOutcome;
    let source: KeepableSource | undefined;
    try {
      if (!(await marker.begin(leased))) return letGo(leased);
      const document = await documentOf(leased);
      const { alone } = leased;
      outcome = await runner.check({ url: leased.url, document, spec }, { signal: tasks.signal, beforeRequest, alone });
      if (!alone && "deadlineExceeded" in outcome && deadlineRetries < MAX_DEADLINE_RETRIES) {
        deadlineRetries += 1;
        log.info("a page met its deadline; it is checked once more, alone", { url: leased.url });
        await retrying(() => releaseLeases(db, [leased], { alone: true }));
        return letGo(leased);
      }
      marker.end(leased);
      source = await sourceOf(leased, document);
    } catch (error) {
      if (tasks.signal.aborted) return;
      const broken = environmentFault(error);
      if (broken) {
        fault ??= broken;
        return;
      }
      if (error instanceof PageError) {
        resultWriter.add({ lease: leased, outcome: { kind, failure: error.failure } });
        return;
      }
      log.error("the engine threw an error", { url: leased.url, error });
      outcome = { kind, failure: { code: "engine_error", detail: "The checker failed while checking the page." } };
    }
    if (!tasks.signal.aborted) resultWriter.add({ lease: leased, outcome, source });
  };

  const leaseMore = async (): Promise<void> => {
    const month = monthOf(now());
    const wanted = Math.ceil(batch * runner.concurrency);
    const heard = notices;
    const { checks, exhausted } = await retrying(() => leaseChecks(db, queue, wanted, month));
    for (const leased of checks) held.set(leased.checkId, leased);
    ready.push(...checks);
    let more = checks.length === wanted;
    if (exhausted) more = (await retrying(() => failUnpaid(db, context, month, now()))) > 0;
    // Changes that were announced in the meantime may be too new for these statements.
    mayHaveMore = more || notices !== heard;
  };

  /** Starts checks and leasing, as far as the concurrency allows. */
  const advance = (): void => {
    while (running.size < runner.concurrency) {
      const next = ready.shift();
      if (!next) break;
      const task = check(next).finally(() => {
        running.delete(task);
        if (next === isolated) {
          isolated = undefined;
          mayHaveMore = true;
        }
        wake();
      });
      running.add(task);
    }
    if (mayHaveMore && !isolated && !leasing && ready.length <= low * runner.concurrency) {
      leasing = leaseMore()
        .catch((error: unknown) => {
          fault = error;
        })
        .finally(() => {
          leasing = undefined;
          wake();
        });
    }
  };

  /** @returns true when there is such a check: it is ready to run */
  const leaseIsolated = async (): Promise<boolean> => {
    const month = monthOf(now());
    const { checks, exhausted } = await retrying(() => leaseIsolatedCheck(db, queue, month));
    [isolated] = checks;
    if (isolated) {
      held.set(isolated.checkId, isolated);
      ready.push(isolated);
    } else if (exhausted) await retrying(() => failUnpaid(db, context, month, now()));
    return isolated !== undefined;
  };

  /** Whether the work is complete. Called when this process holds no checks: then it may lease one that runs alone. */
  const isOver = async (): Promise<boolean> => {
    await resultWriter.drain();
    const state = await retrying(() => readQueue(db, queue));
    if (!state || state.deleted) return true;
    if (state.expired && (await retrying(() => failCrashed(db, context, now()))) > 0) return isOver();
    if (state.alone && (await leaseIsolated())) wake();
    if (state.queued || state.leased) return false;
    if (recordedSinceNotice) await retrying(() => notifyReport(db, reportId));
    recordedSinceNotice = false;
    return state.crawlState === "ended" || state.crawlState === "failed";
  };

  const pollNow = (): void => {
    notices += 1;
    mayHaveMore = true;
    wake();
  };
  const subscription = new AbortController();
  // Notifications may be lost. They only shorten the wait for the next poll.
  const subscribed = subscribe([CHANNEL], {
    ...{ url: options.databaseUrl, limits: options.databaseLimits, signal: subscription.signal },
    applicationName: "site-validator checker (listen)",
    onNotification: (id) => {
      if (id === reportId) pollNow();
    },
    onConnected: pollNow,
    onLoss: (error) => log.debug("cannot listen to the database", { error }),
  });
  const heartbeat = setInterval(() => {
    renewLeases(db, [...held.values()]).catch((error: unknown) => log.warn("the leases were not renewed", { error }));
  }, HEARTBEAT_MS);

  try {
    while (!signal.aborted) {
      fault ??= resultWriter.failure();
      if (fault !== undefined) throw fault;
      advance();
      if (!leasing && running.size === 0 && ready.length === 0 && (await isOver())) {
        log.info("all checks have ended", { recorded });
        return true;
      }
      if (!(await wait(POLL_MS, signal))) mayHaveMore = true;
    }
  } catch (error) {
    // An aborted signal makes waiting for the database throw.
    if (!signal.aborted) throw error;
  } finally {
    clearInterval(heartbeat);
    tasks.abort(new Error("The checker is stopping."));
    subscription.abort();
    await subscribed;
    await leasing;
    await resultWriter.drain().catch(() => {});
    await runner.close();
    await Promise.allSettled(running);
    await releaseAll(db, [...held.values()], log);
  }
  log.info("stopped before the end", { recorded, reason: String(signal.reason) });
  return false;
}

async function releaseAll(db: Kysely<Database>, leases: readonly Lease[], log: Logger): Promise<void> {
  try {
    await releaseLeases(db, leases);
  } catch (error) {
    log.warn("the leases could not be released; they expire", { error });
  }
}
