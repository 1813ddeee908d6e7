import { type Kysely, sql } from "kysely";
import { type CheckKind, checkKinds } from "../../domain/findings/findings.ts";
import { mutingsByPage, type PageMutings } from "../../domain/findings/muting.ts";
import {
  allElements,
  type CountedCheck,
  type CountedIssue,
  dependsOnFindings,
  recount,
} from "../../domain/findings/recount.ts";
import { tallyFields } from "../../domain/findings/tally.ts";
import { loadMutings } from "../accounts/mutings.ts";
import { planForParts } from "../connection/statements.ts";
import { renewComponents } from "../findings/components.ts";
import { recountComparisons } from "../findings/count-states.ts";
import type { Database } from "../tables.ts";
import { readCountedFindings, readCountedIssues } from "./counted-issues.ts";
import { markRecounted, type OutdatedReport } from "./outdated-reports.ts";
import { writeRecount } from "./write-recount.ts";

/** Checks per transaction. It is short because checkers lock the same common issues and report. */
const BATCH = 100;
/**
 * Issues, and elements of issues whose findings are judged one by one, per transaction: a page may have 20,000. With
 * many mutings fewer fit, because each is compared with each while others wait.
 */
const MAX_JUDGED = 20_000;
const MAX_COMPARED = 2_000_000;

/**
 * Judges a report's results by the current mutings, in many short transactions. It takes locks
 * in the same order as recordOutcomes: checks by page, common issues by key, report. A check
 * that is judged by older mutings while this runs lowers the report's revision again.
 */
export async function recountReport(
  db: Kysely<Database>,
  { id, revision }: OutdatedReport,
  signal: AbortSignal,
): Promise<void> {
  for (const kind of checkKinds) {
    while (!signal.aborted && (await recountBatch(db, id, kind, revision)) > 0);
  }
  if (signal.aborted) return;
  await recountComparisons(db, id);
  await markRecounted(db, id, revision);
  await renewComponents(db, id);
}

/** @returns how many checks were recounted */
async function recountBatch(db: Kysely<Database>, reportId: string, kind: CheckKind, before: number): Promise<number> {
  return db.transaction().execute(async (trx) => {
    await planForParts(trx);
    const { rows: locked } = await sql<LockedCheck>`
      select c.id, c.web_page_id, w.url, ${sql.join(tallyFields.map((field) => sql.ref(`c.${field}`)))}
      from checks c join web_pages w on w.id = c.web_page_id
      where c.report_id = ${reportId} and c.kind = ${kind} and c.status = 'checked'
        and c.muting_revision < ${before}
      order by c.web_page_id limit ${BATCH}
      for update of c`.execute(trx);
    if (locked.length === 0) return 0;
    const applied = await loadMutings(trx, reportId);
    if (!applied) return 0;
    const mutingsOf = mutingsByPage(applied.mutings);
    const found = await readCountedIssues(trx, kind, locked);
    const most = Math.min(MAX_JUDGED, MAX_COMPARED / Math.max(1, applied.mutings.length));
    const { checks, issues, dependent } = withinLimit(locked, found, mutingsOf, most);
    const findings = await readCountedFindings(trx, dependent);
    await writeRecount(trx, kind, reportId, recount(checks, issues, findings, mutingsOf));
    await trx
      .updateTable("checks")
      .set({ muting_revision: applied.revision })
      .where(
        "id",
        "in",
        checks.map((check) => check.id),
      )
      .execute();
    return checks.length;
  });
}

type LockedCheck = CountedCheck & { web_page_id: string };

/** As many of the checks as one transaction may judge; the others are left for the next. */
function withinLimit(
  locked: readonly LockedCheck[],
  issues: readonly CountedIssue[],
  mutingsOf: (url: string) => PageMutings,
  most: number,
) {
  const byCheck = Map.groupBy(issues, ({ checkId }) => checkId);
  const dependent: string[] = [];
  let left = most;
  const beyond = locked.findIndex(({ id, url }, index) => {
    const mutings = mutingsOf(url);
    const all = byCheck.get(id) ?? [];
    const ofCheck = all.filter((issue) => dependsOnFindings(mutings, issue));
    left -= ofCheck.reduce((sum, issue) => sum + allElements(issue), all.length);
    if (index > 0 && left < 0) return true;
    dependent.push(...ofCheck.map((issue) => issue.id));
    return false;
  });
  const checks = beyond === -1 ? locked : locked.slice(0, beyond);
  const ids = new Set(checks.map(({ id }) => id));
  return { checks, issues: issues.filter(({ checkId }) => ids.has(checkId)), dependent };
}
