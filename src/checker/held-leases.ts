import type { Kysely } from "kysely";
import { manifestOf } from "../checks/kinds.ts";
import { LEASE_SECONDS, type Lease, type LeasedCheck, renewLeases } from "../database/checks/leases.ts";
import type { Database } from "../database/tables.ts";
import { monthOf } from "../domain/accounts/credits.ts";
import type { Logger } from "../telemetry/log.ts";
import { type CheckContext, failUnpaid } from "../transactions/end-checks.ts";
import { type LeaseResult, leaseChecks, leaseIsolatedCheck, releaseLeases } from "../transactions/lease-checks.ts";

/** A lease survives three lost heartbeats. */
const HEARTBEAT_MS = (LEASE_SECONDS * 1_000) / 4;

/** The checks that this process has leased, from their lease to the end of their check. */
export type HeldLeases = {
  /** A leased check whose run has not begun, in the order of the queue; undefined when there is none. */
  take(): LeasedCheck | undefined;
  /** Leases more in the background, if few are left to take and there may be more. */
  refill(): void;
  /** Leases a check that has to run alone, when no other is held. @returns whether there is one to take */
  refillIsolated(): Promise<boolean>;
  /** The queue may have more than it had when it was last read. */
  expectMore(): void;
  /** The run of a check has ended, however it ended. */
  ran(check: LeasedCheck): void;
  /** This process has no right to end the check any more. */
  letGo(lease: Lease): void;
  /** True when there is nothing to take, and no more is being leased. */
  isEmpty(): boolean;
  /** What made leasing fail; undefined when it did not. */
  failure(): unknown;
  /** Stops to lease and to renew; after that `releaseAll` gives back what is held. */
  stop(): Promise<void>;
  releaseAll(): Promise<void>;
};

type Options = {
  db: Kysely<Database>;
  context: CheckContext;
  /** How many checks run at once, now. */
  concurrency: () => number;
  log: Logger;
  now: () => Date;
  /** Waits for an unreachable database. */
  retrying: <T>(operation: () => Promise<T>) => Promise<T>;
};

/** @param wake called when leasing has ended */
export function createHeldLeases(
  { db, context, concurrency, log, now, retrying }: Options,
  wake: () => void,
): HeldLeases {
  const { low, batch } = manifestOf(context.kind).prefetch;
  const ready: LeasedCheck[] = [];
  const held = new Map<string, Lease>();
  let leasing: Promise<void> | undefined;
  /** The check that runs alone, if there is one. */
  let isolated: LeasedCheck | undefined;
  let mayHaveMore = true;
  /** How often there was a reason to expect more. */
  let notices = 0;
  let failure: unknown;

  const heartbeat = setInterval(() => {
    renewLeases(db, [...held.values()]).catch((error: unknown) => log.warn("the leases were not renewed", { error }));
  }, HEARTBEAT_MS);

  const hold = ({ checks }: LeaseResult): void => {
    for (const leased of checks) held.set(leased.checkId, leased);
    ready.push(...checks);
  };

  /** Fails checks for which no credits are left. @returns how many */
  const unpaid = (month: string): Promise<number> => retrying(() => failUnpaid(db, context, month, now()));

  const leaseMore = async (): Promise<void> => {
    const month = monthOf(now());
    const wanted = Math.ceil(batch * concurrency());
    const heard = notices;
    const result = await retrying(() => leaseChecks(db, context, wanted, month));
    hold(result);
    let more = result.checks.length === wanted;
    if (result.exhausted) more = (await unpaid(month)) > 0;
    // Changes that were announced in the meantime may be too new for these statements.
    mayHaveMore = more || notices !== heard;
  };

  return {
    take: () => ready.shift(),
    refill() {
      if (!mayHaveMore || isolated || leasing || ready.length > low * concurrency()) return;
      leasing = leaseMore()
        .catch((error: unknown) => {
          failure = error;
        })
        .finally(() => {
          leasing = undefined;
          wake();
        });
    },
    async refillIsolated() {
      const month = monthOf(now());
      const result = await retrying(() => leaseIsolatedCheck(db, context, month));
      hold(result);
      [isolated] = result.checks;
      if (!isolated && result.exhausted) await unpaid(month);
      return isolated !== undefined;
    },
    expectMore() {
      notices += 1;
      mayHaveMore = true;
    },
    ran(check) {
      if (check !== isolated) return;
      isolated = undefined;
      mayHaveMore = true;
    },
    letGo(lease) {
      if (held.get(lease.checkId) === lease) held.delete(lease.checkId);
    },
    isEmpty: () => !leasing && ready.length === 0,
    failure: () => failure,
    async stop() {
      clearInterval(heartbeat);
      await leasing;
    },
    async releaseAll() {
      try {
        await releaseLeases(db, [...held.values()]);
      } catch (error) {
        log.warn("the leases could not be released; they expire", { error });
      }
    },
  };
}
