import type { Kysely } from "kysely";
import { countSilenced, countSilencedNew } from "../database/accounts/mutings.ts";
import { readNotices } from "../database/crawl/notices.ts";
import { readCounts } from "../database/reports/check-counts.ts";
import { readCovered, readExcluded, readPageUrls, storeCoverage } from "../database/reports/coverage.ts";
import {
  countByImpact,
  type EndedReport,
  keepEnd,
  lockEnded,
  readEnded,
  readStateCounts,
  storeOutcome,
} from "../database/reports/gates.ts";
import { storePageLosses } from "../database/reports/page-losses.ts";
import {
  type EndOfReport,
  hasFetchedPages,
  lockReport,
  lockUnfinishedCrawl,
  markCrawlOver,
  markEnded,
} from "../database/reports/progress.ts";
import { deleteSession } from "../database/reports/site-sessions.ts";
import type { Database } from "../database/tables.ts";
import { unusedSteps } from "../domain/addresses/page-variant.ts";
import { type Coverage, coverageOf, isGap, withNote } from "../domain/coverage/coverage.ts";
import type { NoticeGroup } from "../domain/coverage/notices.ts";
import { type Failure, givenUpCrawl } from "../domain/failure.ts";
import type { CountsByKind } from "../domain/findings/check-counts.ts";
import { sumOf } from "../domain/findings/check-counts.ts";
import { checkKinds, impacts } from "../domain/findings/findings.ts";
import {
  type GateInput,
  judgeGate,
  type NotCompared,
  withoutImpact,
  withoutSilenced,
} from "../domain/findings/gate.ts";
import type { MutingCriteria } from "../domain/findings/muting.ts";
import { unusedExclusions } from "../domain/scope/url-scope.ts";
import { hasConditions } from "../schema/gate.ts";
import { tellEnd } from "./tell.ts";

/**
 * Ends a report if there is nothing left to do, and judges it by its gate.
 *
 * @param comparisonId its comparison with the report before it
 * @param notCompared why it has none
 * @returns false when there is something left to do
 */
export async function endReport(
  db: Kysely<Database>,
  id: string,
  phase: EndOfReport["phase"],
  now: Date,
  comparisonId: string | null = null,
  notCompared: NotCompared = "no_base",
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    // On its own: a statement that waits for the lock does not see the counters that somebody changes meanwhile.
    await lockReport(trx, id);
    const ended = await markEnded(trx, id, { phase, now, comparisonId });
    if (ended) {
      await judgeReport(trx, id, { notCompared });
      await keepEnd(trx, id, now);
      await tellEnd(trx, id, now);
      await deleteSession(trx, id);
    }
    return ended;
  });
}

/**
 * Stores what an ended report covers, and judges it by its gate, from the current rows; does nothing to others. Locks the
 * report's row, so that a process that changes a count afterwards judges it again.
 *
 * @param options.notCompared why the report, when it ends, has no comparison; later calls keep the stored reason
 * @param options.hasSameFindings what pages lose of the score is not counted again, which reads all findings
 */
export async function judgeReport(
  trx: Kysely<Database>,
  id: string,
  { notCompared, hasSameFindings = false }: { notCompared?: NotCompared; hasSameFindings?: boolean } = {},
): Promise<void> {
  const row = await lockEnded(trx, id);
  if (!row) return;
  // Statements of their own: the one that waited for the report's lock does not see what was counted meanwhile.
  const counts = await readCounts(trx, id);
  const checked = row.phase === "Complete" ? sumOf(counts, "checked") : 0;
  const coverage = await readCoverage(trx, id, row, checked);
  const before = notCompared === undefined ? (row.gate_results ?? []) : [];
  const outcome = hasConditions(row.gate)
    ? judgeGate(row.gate, await readInput(trx, id, row, { counts, checked, coverage }, notCompared), before)
    : { passed: null, results: null };
  if (!hasSameFindings) await storePageLosses(trx, id);
  await storeOutcome(trx, id, coverage, outcome);
}

/**
 * Whether a report passes now, and whether it would with a muting that is not there yet; changes nothing.
 *
 * @returns nulls while it has not ended, and without a gate
 */
export async function judgeWithMuting(
  db: Kysely<Database>,
  id: string,
  criteria: MutingCriteria,
): Promise<{ passes: boolean | null; would_pass: boolean | null }> {
  const row = await readEnded(db, id);
  if (!row?.coverage || !hasConditions(row.gate)) return { passes: null, would_pass: null };
  const counts = await readCounts(db, id);
  const checked = row.phase === "Complete" ? sumOf(counts, "checked") : 0;
  const input = await readInput(db, id, row, { counts, checked, coverage: row.coverage });
  const { maxNewErrors, maxNewWarnings } = row.gate;
  const limitsNew = (maxNewErrors ?? maxNewWarnings) !== undefined;
  const compared = limitsNew ? (row.comparison_id ?? undefined) : undefined;
  const silenced = {
    all: await countSilenced(db, id, criteria),
    new: compared === undefined ? [] : await countSilencedNew(db, id, criteria, compared),
  };
  const before = row.gate_results ?? [];
  return {
    passes: judgeGate(row.gate, input, before).passed,
    would_pass: judgeGate(row.gate, withoutSilenced(input, silenced), before).passed,
  };
}

/** Adds a note to what an ended report covers, until it is judged again. */
export async function addNote(db: Kysely<Database>, id: string, note: NoticeGroup): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const row = await lockEnded(trx, id);
    if (row?.coverage) await storeCoverage(trx, id, withNote(row.coverage, note));
  });
}

async function readCoverage(
  trx: Kysely<Database>,
  id: string,
  { failure_code: code, failure_detail, exclusions, exclude_globs: excludeGlobs, prepare, states }: EndedReport,
  checked: number,
): Promise<Coverage> {
  const { pages, failed, leftOut, alike } = await readCovered(trx, id);
  // A list that is full does not say which of them matched.
  const isKnown = exclusions.length + excludeGlobs.length > 0 && !leftOut.list_limit;
  const forSome = [...prepare, ...states].some(({ url }) => url !== undefined);
  const urls = forSome && checked > 0 ? await readPageUrls(trx, id) : undefined;
  return coverageOf({
    pages,
    leftOut,
    failed,
    alike,
    failure: code === null ? null : { code, detail: failure_detail ?? "" },
    nothingChecked: checked === 0,
    unusedExclusions: isKnown ? unusedExclusions({ exclusions, excludeGlobs }, await readExcluded(trx, id)) : [],
    unusedSteps: urls ? unusedSteps({ prepare, states }, urls) : [],
    stored: await readNotices(trx, id),
  });
}

async function readInput(
  trx: Kysely<Database>,
  id: string,
  row: EndedReport,
  { counts, checked, coverage }: { counts: CountsByKind; checked: number; coverage: Coverage },
  notCompared: NotCompared = "no_base",
): Promise<GateInput> {
  const kinds = checkKinds.filter((kind) => impacts.some((impact) => counts[kind][impact] > 0));
  const byImpact = await countByImpact(trx, id, kinds);
  return {
    checked,
    failedPages: coverage.pages.failed,
    cutShort: row.failure_code !== null,
    gaps: coverage.notices.filter(isGap).length,
    found: [...byImpact, ...withoutImpact(counts, byImpact)],
    compared: row.comparison_id === null ? notCompared : ((await readStateCounts(trx, row.comparison_id)) ?? "no_base"),
  };
}

/** Ends a crawl that is given up. The failure is stored either way, so that nobody takes the pages found for the whole site. */
export async function abandonCrawl(db: Kysely<Database>, id: string, failure: Failure): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const crawl = await lockUnfinishedCrawl(trx, id);
    if (!crawl) return;
    await markCrawlOver(trx, id, givenUpCrawl({ ...crawl, hasPages: await hasFetchedPages(trx, id) }, failure));
  });
}
