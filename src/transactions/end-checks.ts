import type { Kysely } from "kysely";
import { manifestOf, needsSource } from "../checks/kinds.ts";
import { freeCredits, moveCredits } from "../database/accounts/credits.ts";
import { loadMutings } from "../database/accounts/mutings.ts";
import { type BatchSizes, inBatches } from "../database/batches.ts";
import {
  countEnded,
  isReused,
  type KeepableSource,
  keepFetchedSources,
  type LockedCheck,
  lockLeased,
  lockUnfinished,
  type Reuses,
  replaceRaw,
  replaceScreenshots,
  replaceUnacted,
  storedVerdict,
  type Times,
  writeEnds,
  writeFacts,
} from "../database/checks/end-checks.ts";
import { type Lease, MAX_CRASHES } from "../database/checks/leases.ts";
import { type Reusable, storeReusable } from "../database/checks/reusable-outcomes.ts";
import { replaceNotices } from "../database/crawl/notices.ts";
import { replaceFindings } from "../database/findings/store-findings.ts";
import type { Database } from "../database/tables.ts";
import { type Payer, settleCredits } from "../domain/accounts/credits.ts";
import { noticesOf } from "../domain/coverage/check-notices.ts";
import type { Failure } from "../domain/failure.ts";
import { changeByEnd } from "../domain/findings/check-counts.ts";
import type { CheckKind, CheckOutcome } from "../domain/findings/findings.ts";
import { judgeCheck } from "../domain/findings/judge-check.ts";
import { mutingsByPage } from "../domain/findings/muting.ts";
import { screenshotKind } from "../domain/findings/screenshots.ts";
import { isActing } from "../schema/a11y-depths.ts";
import type { ReportSpec } from "../schema/report.ts";

/** The checks that one process handles: those of one report and kind. */
export type CheckContext = { reportId: string; kind: CheckKind; spec: ReportSpec };

/** `source`: what a check of the source was run on; left out when it may not be kept. */
export type LeaseOutcome = { lease: Lease; outcome: CheckOutcome; source?: KeepableSource | undefined } & Times &
  Reuses;

/** Checks that are failed in one transaction: what was found on their pages before is deleted with it. */
const failed: BatchSizes = { first: 50, most: 500, skips: true };

/**
 * Ends checks with their outcomes: findings, common issues, counters, credits and the checks'
 * end are written in one transaction. A check that another process has leased in the meantime
 * is left alone, so an outcome counts once even if it is recorded several times. All writers
 * take locks in the same order: checks by page, pages, common issues by key, report, its
 * counters, account.
 *
 * @returns the ids of the checks that were ended
 */
export async function recordOutcomes(
  db: Kysely<Database>,
  context: CheckContext,
  results: readonly LeaseOutcome[],
  now: Date,
): Promise<Set<string>> {
  const byCheck = new Map(results.map((result) => [result.lease.checkId, result]));
  const ended = await unlessCancelled(db, async (trx) => {
    const locked = await lockLeased(trx, [...byCheck.keys()]);
    const own = locked.flatMap((check) => {
      const result = byCheck.get(check.id);
      return result?.lease.token === check.lease_token ? { ...result, check } : [];
    });
    await endChecks(trx, context, own, now);
    return own.map(({ check }) => check.id);
  });
  return new Set(ended);
}

/** Fails the checks whose checkers crashed too often. @returns how many */
export async function failCrashed(db: Kysely<Database>, context: CheckContext, now: Date): Promise<number> {
  const detail = `The checker ended ${MAX_CRASHES} times while checking this page and no other.`;
  return failMany(db, context, "crashed", { code: "checker_crashed", detail }, now);
}

/** Fails the queued checks if no credits are left. @returns how many */
export async function failUnpaid(
  db: Kysely<Database>,
  context: CheckContext,
  month: string,
  now: Date,
): Promise<number> {
  const detail = "No credits are left this month for this check.";
  return failMany(db, context, "unpaid", { code: "credits_exhausted", detail }, now, async (trx, payer) => {
    // Credits were released in the meantime.
    if ((await freeCredits(trx, payer, 1, month)) > 0) throw new Cancelled();
  });
}

/**
 * Fails all remaining checks of a kind because nobody will end them. Call it only while no
 * checker of that kind runs; one that runs nevertheless loses its leases.
 *
 * @returns how many
 */
export async function abandonChecks(
  db: Kysely<Database>,
  context: CheckContext,
  failure: Failure,
  now: Date,
): Promise<number> {
  return failMany(db, context, "all", failure, now);
}

/**
 * Fails checks in many transactions.
 *
 * @param verify called before the end of each; throws Cancelled to roll it back
 * @returns how many
 */
function failMany(
  db: Kysely<Database>,
  context: CheckContext,
  which: Parameters<typeof lockUnfinished>[2],
  failure: Failure,
  now: Date,
  verify?: (trx: Kysely<Database>, payer: Payer) => Promise<void>,
): Promise<number> {
  const outcome: CheckOutcome = { kind: context.kind, failure };
  const failSome = (size: number) =>
    unlessCancelled(db, async (trx) => {
      const checks = await lockUnfinished(trx, context, which, size);
      const ended = checks.map((check) => ({ check, outcome }));
      const payer = await endChecks(trx, context, ended, now);
      if (payer) await verify?.(trx, payer);
      return ended;
    });
  return inBatches(failed, async (size) => (await failSome(size)).length);
}

/** @returns an empty list when the transaction was cancelled */
async function unlessCancelled<One>(
  db: Kysely<Database>,
  work: (trx: Kysely<Database>) => Promise<One[]>,
): Promise<One[]> {
  try {
    return await db.transaction().execute(work);
  } catch (error) {
    if (error instanceof Cancelled) return [];
    throw error;
  }
}

/** Rolls a transaction back. */
class Cancelled extends Error {}

type Ended = { check: LockedCheck; outcome: CheckOutcome; source?: KeepableSource | undefined } & Times & Reuses;

/**
 * Ends locked checks: writes their findings and counts, and updates the report's counters and
 * the credits.
 *
 * @returns the payer, or undefined when there are no checks to end
 * @throws Cancelled when the report is deleted: late results are discarded
 */
async function endChecks(
  trx: Kysely<Database>,
  context: CheckContext,
  ended: readonly Ended[],
  now: Date,
): Promise<Payer | undefined> {
  if (ended.length === 0) return undefined;
  const { reportId, kind, spec } = context;
  const applied = await loadMutings(trx, reportId);
  if (!applied) throw new Cancelled();
  const { revision } = applied;
  const mutingsOf = mutingsByPage(applied.mutings);
  const judged = ended.map(({ check, outcome, source, durationMs, fetchMs, reuse }) => {
    const verdict = judgeCheck(outcome, { url: check.url, source }, mutingsOf(check.url), spec);
    const reused = isReused({ reuse });
    return { ...storedVerdict(check, verdict, source), source, before: check, durationMs, fetchMs, reuse, reused };
  });
  const pages = judged.map(({ check }) => check.web_page_id);
  const issues = judged.flatMap((one) => one.issues);
  await replaceFindings(trx, kind, reportId, pages, issues, now);
  await writeEnds(trx, kind, judged, revision, now);
  if (needsSource(kind)) await keepFetchedSources(trx, judged);
  await storeReusable(trx, reportId, ended.flatMap(reusable));
  const { depth } = manifestOf(kind).settings;
  if (depth && isActing(spec[depth])) {
    await writeFacts(trx, judged);
    await replaceUnacted(trx, reportId, kind, judged);
  }
  const said = ended.map(({ check, outcome }) => ({ url: check.url, notices: noticesOf(outcome) }));
  await replaceNotices(trx, reportId, kind, said);
  if (spec[manifestOf(kind).settings.storeRaw]) await replaceRaw(trx, kind, judged);
  if (screenshotKind(spec) === kind) await replaceScreenshots(trx, judged);
  const change = {
    counts: changeByEnd(judged),
    bytes: judged.reduce((sum, { check, storedBytes }) => sum + storedBytes - check.stored_bytes, 0),
    engine: judged.find(({ verdict }) => verdict.engine)?.verdict.engine,
  };
  const payer = await countEnded(trx, context, change, revision, now);
  if (!payer) throw new Cancelled();
  const credits = ended.map(({ check, outcome, reuse }) => ({
    month: check.reserved_month,
    // What is known already costs nothing.
    hasResult: "issues" in outcome && !isReused({ reuse }),
  }));
  for (const { month, ...by } of settleCredits(credits)) await moveCredits(trx, payer, month, by);
  return payer;
}

function reusable({ check, outcome, reuse }: Ended): Reusable[] {
  return reuse && "issues" in outcome ? [{ webPageId: check.web_page_id, ...reuse, outcome }] : [];
}
