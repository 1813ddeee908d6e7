import type { Kysely } from "kysely";
import type { Lease } from "../database/checks/leases.ts";
import { isConnectionLoss } from "../database/connection/errors.ts";
import { withReconnect } from "../database/connection/session.ts";
import type { Database } from "../database/tables.ts";
import type { Logger } from "../telemetry/log.ts";
import { type CheckContext, type LeaseOutcome, recordOutcomes } from "../transactions/end-checks.ts";
import { releaseLeases } from "../transactions/lease-checks.ts";

/** How long an outcome waits for others: a transaction with many outcomes costs hardly more than with one. */
const MAX_BATCH_DELAY_MS = 100;
const MAX_BATCH = 32;

export type ResultWriter = {
  add(result: LeaseOutcome): void;
  /** Resolves when every added result is stored. @throws the error of `failure` */
  drain(): Promise<void>;
  /** The error that ended storing, if there was one. */
  failure(): Error | undefined;
};

type ResultWriterOptions = {
  db: Kysely<Database>;
  context: CheckContext;
  log: Logger;
  now: () => Date;
  /** Once aborted, the writer no longer waits for an unreachable database. */
  signal: AbortSignal;
};

/**
 * Stores outcomes in the background, several in one transaction, in the order of `add`.
 *
 * @param onEnded called with each lease that this process no longer holds
 */
export function createResultWriter(
  { db, context, log, now, signal }: ResultWriterOptions,
  onEnded: (lease: Lease) => void,
): ResultWriter {
  const queue: LeaseOutcome[] = [];
  let working: Promise<void> | undefined;
  let failure: Error | undefined;
  let stopWaiting: (() => void) | undefined;
  let draining = false;

  const onLoss = (error: Error): void => {
    log.warn("results cannot be stored now, trying again", { error });
  };

  const store = async (batch: readonly LeaseOutcome[]): Promise<void> => {
    const ended = await withReconnect(() => recordOutcomes(db, context, batch, now()), { signal, onLoss });
    const late = batch.filter(({ lease }) => !ended.has(lease.checkId)).map(({ lease }) => lease);
    if (late.length === 0) return;
    // Another checker has the lease now, or the report is deleted: then the credits must not stay reserved.
    log.info("results arrived after their leases had ended", { checks: late.map((lease) => lease.checkId) });
    await withReconnect(() => releaseLeases(db, late), { signal, onLoss });
  };

  /** When one result cannot be stored, only its own check fails, not the batch. */
  const storeOneByOne = async (batch: readonly LeaseOutcome[]): Promise<void> => {
    for (const result of batch) {
      try {
        await store([result]);
      } catch (error) {
        if (isConnectionLoss(error) || signal.aborted) throw error;
        log.error("a result could not be stored", { check: result.lease.checkId, error });
        const { kind } = context;
        const detail = "The engine's result could not be stored.";
        await store([{ ...result, outcome: { kind, failure: { code: "engine_error", detail } } }]);
      }
    }
  };

  const work = async (): Promise<void> => {
    while (queue.length > 0) {
      if (queue.length < MAX_BATCH && !draining) await waitForMore();
      const batch = queue.splice(0, MAX_BATCH);
      try {
        await store(batch);
      } catch (error) {
        if (isConnectionLoss(error) || signal.aborted) throw error;
        await storeOneByOne(batch);
      }
      for (const { lease } of batch) onEnded(lease);
    }
  };

  const waitForMore = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, MAX_BATCH_DELAY_MS);
      stopWaiting = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const start = (): void => {
    working ??= work()
      .catch((error: unknown) => {
        failure = error instanceof Error ? error : new Error(String(error));
      })
      .finally(() => {
        working = undefined;
      });
  };

  return {
    add(result) {
      queue.push(result);
      if (queue.length >= MAX_BATCH) stopWaiting?.();
      start();
    },
    async drain() {
      draining = true;
      stopWaiting?.();
      while (!failure && (working || queue.length > 0)) {
        start();
        await working;
      }
      draining = false;
      if (failure) throw failure;
    },
    failure: () => failure,
  };
}
