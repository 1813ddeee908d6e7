import type { Kysely } from "kysely";
import { moveCredits, reserveCredits } from "../database/accounts/credits.ts";
import {
  type Lease,
  type LeasedCheck,
  lease,
  lockLeasable,
  type Queue,
  returnToQueue,
} from "../database/checks/leases.ts";
import type { Database } from "../database/tables.ts";

export type LeaseResult = {
  checks: LeasedCheck[];
  /** Checks were left in the queue because no credits are left for them. */
  exhausted: boolean;
};

/**
 * Leases up to `limit` checks, oldest first: queued ones, and those whose checker died before it began them. Leaves
 * out those that have to run alone. Reserves a credit for each. Several processes may call this at the same time.
 *
 * @param month the month whose credits are reserved, see monthOf
 */
export function leaseChecks(db: Kysely<Database>, queue: Queue, limit: number, month: string): Promise<LeaseResult> {
  return pickAndLease(db, queue, { limit, month, alone: false });
}

/** Leases the oldest check that has to run alone, for a checker that holds no other. */
export function leaseIsolatedCheck(db: Kysely<Database>, queue: Queue, month: string): Promise<LeaseResult> {
  return pickAndLease(db, queue, { limit: 1, month, alone: true });
}

type Wanted = { limit: number; month: string; alone: boolean };

function pickAndLease(db: Kysely<Database>, queue: Queue, { limit, month, alone }: Wanted): Promise<LeaseResult> {
  return db.transaction().execute(async (trx) => {
    const picked = await lockLeasable(trx, queue, { limit, alone });
    const [first] = picked;
    if (!first) return { checks: [], exhausted: false };
    const paid = picked.filter(({ reserved }) => reserved);
    const unpaid = picked.filter(({ reserved }) => !reserved);
    const granted = await reserveCredits(trx, first, unpaid.length, month);
    const taken = [...paid, ...unpaid.slice(0, granted)].map(({ id }) => id);
    return {
      checks: taken.length === 0 ? [] : await lease(trx, queue.kind, taken, { month, alone }),
      exhausted: granted < unpaid.length,
    };
  });
}

/**
 * Returns unfinished checks to the queue as if they had never been leased, and releases their credits.
 *
 * @param alone whether they must run alone from now on
 */
export async function releaseLeases(
  db: Kysely<Database>,
  leases: readonly Lease[],
  { alone = false } = {},
): Promise<void> {
  if (leases.length === 0) return;
  await db.transaction().execute(async (trx) => {
    for (const { month, released, ...payer } of await returnToQueue(trx, leases, { alone }))
      if (month !== null) await moveCredits(trx, payer, month, { reserved: -released, charged: 0 });
  });
}
