import type { Kysely } from "kysely";
import { loadMutings } from "../database/accounts/mutings.ts";
import { defaultLimits } from "../database/connection/connection-options.ts";
import { isOfOneStatement } from "../database/connection/errors.ts";
import { isAwaited, limitTransaction, planForParts, planForWholeReports } from "../database/connection/statements.ts";
import { outdateComparisons, preventComparisons } from "../database/findings/comparisons.ts";
import { findComponentList, hasManyFindings, readVersion, renameVersion } from "../database/findings/components.ts";
import { storePageLosses } from "../database/reports/page-losses.ts";
import { lockReport } from "../database/reports/progress.ts";
import {
  type CountedChanges,
  lockAllChecked,
  lockOutdated,
  markRecounted,
  moveCommon,
  moveCounts,
  type OutdatedReport,
  readCountedFindings,
  readCountedIssues,
  setRevision,
  writeRecount,
} from "../database/reports/recounts.ts";
import type { Database } from "../database/tables.ts";
import { ReportBeingComparedError } from "../domain/errors.ts";
import { type CheckKind, checkKinds } from "../domain/findings/findings.ts";
import { mutingsByPage } from "../domain/findings/muting.ts";
import { type Recount, recount, withinLimit } from "../domain/findings/recount.ts";
import { addTally, emptyTally, tallyFields } from "../domain/findings/tally.ts";
import { countUncounted, recountComparisons, recountStates } from "./compare.ts";
import { judgeReport } from "./end-report.ts";
import { groupAndStore, renewComponents } from "./store-components.ts";

/** Checks at once. In a transaction of their own they are few, because checkers lock the same common issues and report. */
const BATCH = 100;

/** A statement of a recount at once ends before who waits for its locks gives up. */
const STATEMENT_MS = (defaultLimits.lockMs * 3) / 4;
/**
 * Who ends the report locks it, and then what pages lose, which this has written before it locks the report. So it waits for
 * a shorter time than the second after which PostgreSQL ends one of two that wait for each other: it may end the other.
 */
const REPORT_LOCK_MS = 500;

/**
 * Judges a report's results by the current mutings. Of a report whose lists are stored, all numbers and lists are those
 * from before until all are new; of others, and where somebody waits for that, the numbers follow in many short
 * transactions. It takes locks in the same order as recordOutcomes: checks by page, common issues by key, report. A check
 * that is judged by older mutings while this runs lowers the report's revision again.
 */
export async function recountReport(db: Kysely<Database>, report: OutdatedReport, signal: AbortSignal): Promise<void> {
  const { id } = report;
  const list = await findComponentList(db, id);
  // Where only the first part of a large report's list is stored, the rest took too long, and would again.
  const isQuick = list?.is_up_to_date && (list.has_all || !(await hasManyFindings(db, id)));
  if (isQuick && (await recountAtOnce(db, report, list.comparison_id, signal)))
    return countUncounted(db, { reportId: id, signal });
  for (const kind of checkKinds) {
    while (!signal.aborted && (await recountBatch(db, report, kind)) > 0);
  }
  if (signal.aborted) return;
  await recountComparisons(db, id);
  await db.transaction().execute((trx) => endRecount(trx, report));
  await renewComponents(db, id);
}

async function endRecount(trx: Kysely<Database>, report: OutdatedReport, hasSameFindings = false): Promise<void> {
  // A process that ends a check locks the report's row: the next statement sees what it wrote.
  await lockReport(trx, report.id);
  await markRecounted(trx, report);
  await judgeReport(trx, report.id, { hasSameFindings });
}

/** Thrown to undo a recount at once: somebody waits for it, or what it started from has changed. */
class GivenWay extends Error {}

/**
 * Recounts a report, its comparison and what is stored of both in one transaction. What many lock is locked at its end,
 * when the rest is done.
 *
 * @returns false when nothing of it is done. It was stopped by the signal, or has to be done in parts: somebody waits for one
 *   of its locks, as who checks one of its pages again or compares it does; it is being compared; it changed meanwhile, or
 *   is gone; or a statement took too long, waited too long for a lock, lost to another transaction, or lacked memory or disk
 */
async function recountAtOnce(
  db: Kysely<Database>,
  report: OutdatedReport,
  comparisonId: string | null,
  signal: AbortSignal,
): Promise<boolean> {
  const { id } = report;
  const inTransaction = async (trx: Kysely<Database>) => {
    const giveWay = async () => {
      if (signal.aborted || (await isAwaited(trx))) throw new GivenWay();
    };
    const requireSame = async () => {
      const list = await findComponentList(trx, id);
      if (!list?.is_up_to_date || list.comparison_id !== comparisonId) throw new GivenWay();
    };
    /** Pages without a result are not locked: what was found on them since the lists were stored is not in these. */
    const lockSame = async () => {
      await limitTransaction(trx, { lock_timeout: REPORT_LOCK_MS });
      await lockReport(trx, id);
      await requireSame();
      return readVersion(trx, id);
    };
    await preventComparisons(trx, id);
    await limitTransaction(trx, { statement_timeout: STATEMENT_MS });
    const all = await lockAllChecked(trx, id);
    await requireSame();
    const { judged, changed, common, counts } = await recountAll(trx, report, giveWay);
    if (changed === 0 && judged === all) {
      const before = await lockSame();
      await endRecount(trx, report, true);
      return renameVersion(trx, id, before, await readVersion(trx, id));
    }
    await groupAndStore(trx, id, comparisonId, "all", giveWay);
    await giveWay();
    await storePageLosses(trx, id);
    await giveWay();
    await planForParts(trx);
    await moveCommon(trx, common);
    await giveWay();
    await outdateComparisons(trx, id);
    await giveWay();
    if (comparisonId !== null) await recountStates(trx, comparisonId);
    await giveWay();
    const stored = await lockSame();
    await planForParts(trx);
    await moveCounts(trx, id, counts);
    await planForWholeReports(trx);
    // What pages lose is stored.
    await endRecount(trx, report, true);
    await renameVersion(trx, id, stored, await readVersion(trx, id));
  };
  try {
    await db.transaction().execute(inTransaction);
    return true;
  } catch (error) {
    const isPutOff = error instanceof GivenWay || error instanceof ReportBeingComparedError;
    if (isPutOff || isOfOneStatement(error)) return false;
    throw error;
  }
}

/** What is left to write when all checks of a report are recounted: common issues and counters, by what they change. */
type Counted = { judged: number; changed: number; common: Map<string, number>; counts: CountedChanges };

async function recountAll(
  trx: Kysely<Database>,
  report: OutdatedReport,
  between: () => Promise<void>,
): Promise<Counted> {
  const all: Counted = { judged: 0, changed: 0, common: new Map(), counts: {} };
  await planForParts(trx);
  for (const kind of checkKinds) {
    const tally = emptyTally();
    for (let part = await recountChecks(trx, report, kind); part; part = await recountChecks(trx, report, kind)) {
      all.judged += part.judged;
      all.changed += part.changed;
      for (const [id, by] of part.recount.common) all.common.set(id, (all.common.get(id) ?? 0) + by);
      addTally(tally, part.recount.change);
      await between();
    }
    if (tallyFields.some((field) => tally[field] !== 0)) all.counts[kind] = tally;
  }
  return all;
}

/** @returns how many checks were recounted */
async function recountBatch(db: Kysely<Database>, report: OutdatedReport, kind: CheckKind): Promise<number> {
  return db.transaction().execute(async (trx) => {
    await planForParts(trx);
    const part = await recountChecks(trx, report, kind);
    if (!part) return 0;
    await moveCommon(trx, part.recount.common);
    if (part.recount.checks.length > 0) await moveCounts(trx, report.id, { [kind]: part.recount.change });
    return part.judged;
  });
}

/** Recounts some checks, without what their report counts of all; undefined when none is outdated. */
async function recountChecks(
  trx: Kysely<Database>,
  report: OutdatedReport,
  kind: CheckKind,
): Promise<{ judged: number; changed: number; recount: Recount } | undefined> {
  const locked = await lockOutdated(trx, report, kind, BATCH);
  if (locked.length === 0) return undefined;
  const applied = await loadMutings(trx, report.id);
  if (!applied) return undefined;
  const mutingsOf = mutingsByPage(applied.mutings);
  const found = await readCountedIssues(trx, kind, locked);
  const { checks, issues, dependent } = withinLimit(locked, found, mutingsOf, applied.mutings.length);
  const findings = await readCountedFindings(trx, dependent);
  const result = recount(checks, issues, findings, mutingsOf);
  const moved = await writeRecount(trx, result);
  await setRevision(trx, checks, applied.revision);
  const changed = moved + result.issues.length + result.checks.length;
  return { judged: checks.length, changed, recount: result };
}
