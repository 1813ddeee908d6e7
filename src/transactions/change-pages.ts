import type { Kysely } from "kysely";
import { moveCredits } from "../database/accounts/credits.ts";
import { forgetFailedAnswers } from "../database/crawl/answers.ts";
import { forgetReferences, sizeOfStoredReferences } from "../database/crawl/page-references.ts";
import { addStoredBytes } from "../database/crawl/stored-bytes.ts";
import { outdateComparisons, preventComparisons } from "../database/findings/comparisons.ts";
import { hasAtMostFindings } from "../database/findings/components.ts";
import { replaceFindings } from "../database/findings/store-findings.ts";
import { countGonePage, excludePage, lockPage, queueAgain, reopenReport } from "../database/reports/page-checks.ts";
import { outdateReport } from "../database/reports/recounts.ts";
import type { Database } from "../database/tables.ts";
import { settleCredits } from "../domain/accounts/credits.ts";
import { changeByRemoval, changeByRequeue, isPending } from "../domain/findings/check-counts.ts";
import { COMPARED_AT_ONCE } from "../domain/findings/comparing.ts";
import { checkKinds } from "../domain/findings/findings.ts";
import { countAtOnce } from "./compare-at-once.ts";
import { judgeReport } from "./end-report.ts";
import { renewComponents } from "./store-components.ts";

/**
 * Queues a page's checks again; checks that are already queued or running are left alone. The
 * previous findings are kept and counted until they are replaced. A report that had ended is
 * reopened.
 */
export async function requeuePage(db: Kysely<Database>, reportId: string, pageId: string, now: Date): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const again = (await lockPage(trx, reportId, pageId)).filter((check) => !isPending(check));
    if (again.length === 0) return;
    await queueAgain(trx, pageId, again, now);
    const bytes = (await forgetReferences(trx, pageId)) + (await forgetFailedAnswers(trx, reportId));
    await addStoredBytes(trx, reportId, -bytes);
    await reopenReport(trx, reportId, changeByRequeue(again), now);
  });
}

/**
 * Removes a page with all its findings and updates every counter that included it; its URL
 * becomes an excluded URL. The result of a check that is still running is discarded, and its
 * credit is released. The report's comparisons are recounted, in the background if that takes long.
 *
 * @param countedAtOnce how many findings, and pages, the reports of these comparisons may have together for that to be done here
 * @returns false when the page does not exist any more
 * @throws ReportBeingComparedError when the report is being compared and that takes too long
 */
export async function deletePage(
  db: Kysely<Database>,
  reportId: string,
  pageId: string,
  now: Date,
  countedAtOnce = COMPARED_AT_ONCE,
): Promise<boolean> {
  const found = await db.transaction().execute(async (trx) => {
    await preventComparisons(trx, reportId);
    const checks = await lockPage(trx, reportId, pageId);
    const referenceBytes = await sizeOfStoredReferences(trx, pageId);
    for (const kind of checkKinds) await replaceFindings(trx, kind, reportId, [pageId], [], now);
    const titleBytes = await excludePage(trx, reportId, pageId);
    if (titleBytes === undefined) return false;
    await outdateComparisons(trx, reportId);
    const bytes = checks.reduce((sum, { stored_bytes }) => sum + stored_bytes, referenceBytes + titleBytes);
    const payer = await countGonePage(trx, reportId, { changes: changeByRemoval(checks), bytes }, now);
    const credits = settleCredits(checks.map(({ reserved_month: month }) => ({ month, hasResult: false })));
    if (payer) for (const { month, ...by } of credits) await moveCredits(trx, payer, month, by);
    // What the other pages of a large report lose is counted with the rest of it, by the controller.
    await judgeReport(trx, reportId, { hasSameFindings: !(await hasAtMostFindings(trx, reportId, countedAtOnce)) });
    return true;
  });
  // In a second step: counting comparisons takes a while, and must not hold the locks of the first.
  if (found) {
    await countAtOnce(db, reportId, countedAtOnce);
    // Roles, and what is stored by component, are of fewer pages now.
    if (await hasAtMostFindings(db, reportId, countedAtOnce)) await renewComponents(db, reportId);
    else await outdateReport(db, reportId);
  }
  return found;
}
