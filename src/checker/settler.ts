import type { Kysely } from "kysely";
import type { Lease } from "../database/checks.ts";
import { releaseLeases } from "../database/checks.ts";
import { isConnectionLoss } from "../database/connection/connection-loss.ts";
import { withReconnect } from "../database/connection/retry.ts";
import { type CheckContext, type Settlement, settle } from "../database/settle.ts";
import type { Database } from "../database/tables.ts";
import type { Logger } from "../telemetry/log.ts";

/** Outcomes wait so long for company: one transaction for many costs hardly more than one for one. */
const GATHER_MS = 100;
const MAX_BATCH = 32;

export type Settler = {
  add(settlement: Settlement): void;
  /** Resolves when all that was added is stored. @throws what made storing impossible */
  drain(): Promise<void>;
  /** What made storing impossible, if anything did. */
  failure(): Error | undefined;
};

type SettlerOptions = {
  db: Kysely<Database>;
  context: CheckContext;
  log: Logger;
  now: () => Date;
  /** Once aborted, a database that is gone is waited for no longer. */
  signal: AbortSignal;
};

/**
 * Stores outcomes in the background, several in one transaction, in the order they came.
 *
 * @param onEnded told of each lease that is no longer held
 */
export function createSettler(
  { db, context, log, now, signal }: SettlerOptions,
  onEnded: (lease: Lease) => void,
): Settler {
  const queue: Settlement[] = [];
  let working: Promise<void> | undefined;
  let failure: Error | undefined;
  let hurry: (() => void) | undefined;
  let draining = false;

  const store = async (batch: readonly Settlement[]): Promise<void> => {
    const ended = await withReconnect(() => settle(db, context, batch, now()), { signal });
    const refused = batch.filter(({ lease }) => !ended.has(lease.checkId)).map(({ lease }) => lease);
    if (refused.length === 0) return;
    // Somebody else's by now, or the report is deleted: then the credits must not stay reserved.
    log.info("results came too late", { checks: refused.map((lease) => lease.checkId) });
    await withReconnect(() => releaseLeases(db, refused), { signal });
  };

  /** A result that cannot be stored costs its own page, not the batch that it came in. */
  const storeOneByOne = async (batch: readonly Settlement[]): Promise<void> => {
    for (const settlement of batch) {
      try {
        await store([settlement]);
      } catch (error) {
        if (isConnectionLoss(error) || signal.aborted) throw error;
        log.error("a result cannot be stored", { check: settlement.lease.checkId, error });
        const { kind } = context;
        const detail = "The engine's result could not be stored.";
        await store([{ ...settlement, outcome: { kind, failure: { code: "engine_error", detail } } }]);
      }
    }
  };

  const work = async (): Promise<void> => {
    while (queue.length > 0) {
      if (queue.length < MAX_BATCH && !draining) await gather();
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

  const gather = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, GATHER_MS);
      hurry = () => {
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
    add(settlement) {
      queue.push(settlement);
      if (queue.length >= MAX_BATCH) hurry?.();
      start();
    },
    async drain() {
      draining = true;
      hurry?.();
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
