import type { Kysely } from "kysely";
import { isConnectionLoss, isLockTimeout, isStatementTimeout } from "../database/connection/errors.ts";
import { withStatementLimit } from "../database/connection/statements.ts";
import {
  endRequest,
  findComparable,
  findRequest,
  insertRequest,
  lockRequests,
  type RequestState,
} from "../database/findings/comparison-requests.ts";
import {
  areCountedAtOnce,
  type Compared,
  hasUncounted,
  isComparedAtOnce,
  type Pair,
} from "../database/findings/comparisons.ts";
import { COMPARISON_REQUESTED, notify } from "../database/notifications.ts";
import type { Database } from "../database/tables.ts";
import { mayRequest } from "../domain/findings/comparing.ts";
import { compareReports, countUncounted } from "./compare.ts";

/**
 * How long a request tries what the controller can do for it, in milliseconds: no part of that begins after this time,
 * and no statement takes longer. Both together are less than five seconds.
 */
const TRY_MS = 2_400;

class TookTooLong extends Error {}

/**
 * Compares two small reports while a client waits.
 *
 * @param limit how many findings, and pages, both may have together
 * @returns `too_long` when the controller has to do that; undefined as compareReports does
 */
export async function compareAtOnce(
  db: Kysely<Database>,
  pair: Pair,
  limit: number,
): Promise<Compared | undefined | "too_long"> {
  if (!(await isComparedAtOnce(db, pair, limit))) return "too_long";
  const giveUp = AbortSignal.timeout(TRY_MS);
  try {
    return await withStatementLimit(db, TRY_MS, (limited) =>
      compareReports(limited, pair.reportId, pair.baseId, async () => {
        if (giveUp.aborted) throw new TookTooLong();
      }),
    );
  } catch (error) {
    if (error instanceof TookTooLong || isStatementTimeout(error) || isLockTimeout(error)) return "too_long";
    throw error;
  }
}

/**
 * Counts again, while a client waits, the outdated comparisons in which a report takes part. What takes too long is left
 * to the controller.
 *
 * @param limit how many findings, and pages, the reports of all these comparisons may have together
 */
export async function countAtOnce(db: Kysely<Database>, reportId: string, limit: number): Promise<void> {
  const count = async (): Promise<void> => {
    if (!(await areCountedAtOnce(db, reportId, limit))) return;
    const signal = AbortSignal.timeout(TRY_MS);
    await withStatementLimit(db, TRY_MS, (limited) => countUncounted(limited, { reportId, signal }));
  };
  const tellController = async (): Promise<void> => {
    if (await hasUncounted(db)) await notify(db, COMPARISON_REQUESTED);
  };
  // Both are optional: maintenance counts what is left.
  for (const step of [count, tellController])
    await step().catch((error: unknown) => {
      if (!isConnectionLoss(error)) throw error;
    });
}

/**
 * Asks the controller for a comparison; asking for the same one again changes nothing.
 *
 * @returns undefined when one of the two has not ended, or is deleted; `full` when the account asks for too many
 */
export async function requestComparison(
  db: Kysely<Database>,
  request: Pair & { byGuest: boolean },
): Promise<RequestState | "full" | undefined> {
  const known = await findRequest(db, request);
  if (known) return known;
  return db.transaction().execute(async (trx) => {
    const accountId = await findComparable(trx, request);
    if (accountId === undefined) return undefined;
    const waiting = await lockRequests(trx, accountId);
    const meanwhile = await findRequest(trx, request);
    if (meanwhile) return meanwhile;
    if (!mayRequest(waiting, request.byGuest)) return "full";
    // One that failed.
    await endRequest(trx, request);
    await insertRequest(trx, request, accountId);
    await notify(trx, COMPARISON_REQUESTED);
    return { status: "queued", percent: 0 };
  });
}
