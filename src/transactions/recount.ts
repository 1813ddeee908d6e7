import type { Kysely } from "kysely";
import { loadMutings } from "../database/accounts/mutings.ts";
import { planForParts } from "../database/connection/statements.ts";
import { lockReport } from "../database/reports/progress.ts";
import {
  lockOutdated,
  markRecounted,
  type OutdatedReport,
  readCountedFindings,
  readCountedIssues,
  setRevision,
  writeRecount,
} from "../database/reports/recounts.ts";
import type { Database } from "../database/tables.ts";
import { type CheckKind, checkKinds } from "../domain/findings/findings.ts";
import { mutingsByPage } from "../domain/findings/muting.ts";
import { recount, withinLimit } from "../domain/findings/recount.ts";
import { recountComparisons } from "./compare.ts";
import { judgeReport } from "./end-report.ts";
import { renewComponents } from "./store-components.ts";

/** Checks per transaction. It is short because checkers lock the same common issues and report. */
const BATCH = 100;

/**
 * Judges a report's results by the current mutings, in many short transactions. It takes locks
 * in the same order as recordOutcomes: checks by page, common issues by key, report. A check
 * that is judged by older mutings while this runs lowers the report's revision again.
 */
export async function recountReport(db: Kysely<Database>, report: OutdatedReport, signal: AbortSignal): Promise<void> {
  const { id } = report;
  for (const kind of checkKinds) {
    while (!signal.aborted && (await recountBatch(db, report, kind)) > 0);
  }
  if (signal.aborted) return;
  await recountComparisons(db, id);
  await db.transaction().execute(async (trx) => {
    // A process that ends a check locks the report's row: the next statement sees what it wrote.
    await lockReport(trx, id);
    await markRecounted(trx, report);
    await judgeReport(trx, id);
  });
  await renewComponents(db, id);
}

/** @returns how many checks were recounted */
async function recountBatch(db: Kysely<Database>, report: OutdatedReport, kind: CheckKind): Promise<number> {
  return db.transaction().execute(async (trx) => {
    await planForParts(trx);
    const locked = await lockOutdated(trx, report, kind, BATCH);
    if (locked.length === 0) return 0;
    const applied = await loadMutings(trx, report.id);
    if (!applied) return 0;
    const mutingsOf = mutingsByPage(applied.mutings);
    const found = await readCountedIssues(trx, kind, locked);
    const { checks, issues, dependent } = withinLimit(locked, found, mutingsOf, applied.mutings.length);
    const findings = await readCountedFindings(trx, dependent);
    await writeRecount(trx, kind, report.id, recount(checks, issues, findings, mutingsOf));
    await setRevision(trx, checks, applied.revision);
    return checks.length;
  });
}
