import type { Kysely } from "kysely";
import { continueOnFailure, type OnFailure } from "../database/connection/errors.ts";
import { planForWholeReports } from "../database/connection/statements.ts";
import {
  announceComparison,
  awaitComparisons,
  type Compared,
  deleteComparison,
  deleteSurplus,
  findComparison,
  insertComparison,
  lockComparison,
  lockPair,
  nextUncounted,
  outdateComparisons,
  type Pair,
  referToComparison,
} from "../database/findings/comparisons.ts";
import { pairFindings, storePageKeys } from "../database/findings/pairs.ts";
import { countStates, storeStates } from "../database/findings/states.ts";
import type { Database } from "../database/tables.ts";
import { judgeReport } from "./end-report.ts";

/** Called between two statements with the share that is done, in percent. It may throw to end the comparison. */
export type OnProgress = (percent: number) => Promise<void>;

/**
 * Compares a report that has ended with another, its base: each finding of the report gets a state, and so does each
 * of the base that the report no longer has. The same two are compared again only when one of them was checked again
 * since. Safe to repeat, and to run several times at once. Only the newest comparisons made on request are kept.
 *
 * @returns undefined when one of them has not ended, or is deleted
 */
export async function compareReports(
  db: Kysely<Database>,
  reportId: string,
  baseId: string,
  onProgress: OnProgress = async () => {},
): Promise<Compared | undefined> {
  const known = await findComparison(db, reportId, baseId);
  if (known) return known;
  for (const id of [reportId, baseId]) {
    await onProgress(0);
    await storePageKeys(db, id);
  }
  const compared = await compareOnce(db, { reportId, baseId }, onProgress);
  await deleteSurplus(db, reportId);
  return compared;
}

/** The shares of the time that each part takes, as measured with a million findings. */
const PAIRED = 45;
const STORED = 85;

async function compareOnce(db: Kysely<Database>, pair: Pair, onProgress: OnProgress): Promise<Compared | undefined> {
  const { reportId, baseId } = pair;
  return db.transaction().execute(async (trx) => {
    await planForWholeReports(trx);
    await lockPair(trx, pair);
    await announceComparison(trx, reportId, baseId);
    const known = await findComparison(trx, reportId, baseId);
    if (known) return known;
    const isOwn = await deleteComparison(trx, pair);
    const id = await insertComparison(trx, pair);
    if (id === undefined) return undefined;
    await pairFindings(trx, reportId, baseId, (share) => onProgress(Math.round(PAIRED * share)));
    await onProgress(PAIRED);
    await storeStates(trx, id, reportId, baseId);
    await onProgress(STORED);
    const counted = await countStates(trx, id);
    if (isOwn) {
      // Other findings may be new now.
      await referToComparison(trx, reportId, id);
      await judgeReport(trx, reportId, { hasSameFindings: true });
    }
    return { id, baseId, ...counted };
  });
}

/**
 * Recounts every comparison in which the report takes part: the mutings of its findings have changed, or some of its
 * findings are gone.
 */
export async function recountComparisons(db: Kysely<Database>, reportId: string): Promise<void> {
  await awaitComparisons(db, reportId);
  await db.transaction().execute((trx) => outdateComparisons(trx, reportId));
  await countUncounted(db, { reportId });
}

/**
 * Counts what is outdated: each comparison once.
 *
 * @param reportId of a report that is compared; otherwise of all
 * @param signal stops between two comparisons
 * @param onFailure called with the id of each comparison that cannot be counted, and the error; without it the first one
 *   ends the call
 */
export async function countUncounted(
  db: Kysely<Database>,
  { reportId, signal, onFailure }: { reportId?: string; signal?: AbortSignal; onFailure?: OnFailure },
): Promise<void> {
  for (let last = "0"; !signal?.aborted; ) {
    const next = await nextUncounted(db, last, reportId);
    if (next === undefined) return;
    last = next;
    await continueOnFailure(next, onFailure, () => recountComparison(db, next));
  }
}

/** Its report is judged by what is counted. */
async function recountComparison(db: Kysely<Database>, id: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const reportId = await recountStates(trx, id);
    if (reportId !== undefined) await judgeReport(trx, reportId, { hasSameFindings: true });
  });
}

/** Counts a comparison again. @returns the id of its report, which has to be judged by it; undefined where it is gone */
export async function recountStates(trx: Kysely<Database>, id: string): Promise<string | undefined> {
  const reportId = await lockComparison(trx, id);
  if (reportId === undefined) return undefined;
  await planForWholeReports(trx);
  await countStates(trx, id);
  return reportId;
}
