import { type Kysely, sql } from "kysely";
import { ReportBeingComparedError } from "../../domain/errors.ts";
import { isLockTimeout } from "../connection/connection-loss.ts";
import type { Database } from "../tables.ts";

/**
 * The lock of a report that is being compared. The comparison counts by the mutings that it saw at its start, and is
 * not visible yet: whoever changes mutings of findings waits for it, and recounts it.
 */
const keyOf = (reportId: string) => sql`hashtextextended(${`compared ${reportId}`}, 0)`;

/** Marks these reports as being compared until the end of the transaction. */
export async function announceComparison(trx: Kysely<Database>, ...reportIds: string[]): Promise<void> {
  for (const id of reportIds) await sql`select pg_advisory_xact_lock_shared(${keyOf(id)})`.execute(trx);
}

/** Waits until a report's comparisons in progress are committed or rolled back. */
export async function awaitComparisons(db: Kysely<Database>, reportId: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${keyOf(reportId)})`.execute(trx);
  });
}

/**
 * Keeps a report from being compared until the end of the transaction. Called before the transaction takes other locks.
 *
 * @throws ReportBeingComparedError when it is being compared for longer than a statement waits for a lock
 */
export async function preventComparisons(trx: Kysely<Database>, reportId: string): Promise<void> {
  try {
    await sql`select pg_advisory_xact_lock(${keyOf(reportId)})`.execute(trx);
  } catch (error) {
    throw isLockTimeout(error) ? new ReportBeingComparedError() : error;
  }
}
