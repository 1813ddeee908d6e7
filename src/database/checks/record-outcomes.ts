import { type Kysely, sql } from "kysely";
import type { Failure } from "../../domain/failure.ts";
import type { CheckOutcome } from "../../domain/findings/findings.ts";
import { freeCredits, type Payer } from "../accounts/credits.ts";
import { type BatchSizes, inBatches } from "../batches.ts";
import type { Database } from "../tables.ts";
import { type CheckContext, endChecks, type LockedCheck, ReportGoneError } from "./end-checks.ts";
import type { KeepableSource } from "./keep-sources.ts";
import { isExpired, type Lease, MAX_CRASHES } from "./leases.ts";

export type { CheckContext } from "./end-checks.ts";

export type LeaseOutcome = { lease: Lease; outcome: CheckOutcome; source?: KeepableSource | undefined };

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
  try {
    return await db.transaction().execute(async (trx) => {
      const locked = await lockChecks(trx, sql`c.id = any(${[...byCheck.keys()]}::bigint[]) and c.status = 'leased'`);
      const ended = locked.flatMap((check) => {
        const result = byCheck.get(check.id);
        return result?.lease.token === check.lease_token ? { ...result, check } : [];
      });
      await endChecks(trx, context, ended, now);
      return new Set(ended.map(({ check }) => check.id));
    });
  } catch (error) {
    if (error instanceof ReportGoneError) return new Set();
    throw error;
  }
}

/** Fails the checks whose checkers crashed too often. @returns how many */
export async function failCrashed(db: Kysely<Database>, context: CheckContext, now: Date): Promise<number> {
  const detail = `The checker ended ${MAX_CRASHES} times while checking this page and no other.`;
  const which = sql`c.status = 'leased' and ${isExpired} and c.crashes >= ${MAX_CRASHES}`;
  return failMany(db, context, which, { code: "checker_crashed", detail }, now);
}

/** Fails the queued checks if no credits are left. @returns how many */
export async function failUnpaid(
  db: Kysely<Database>,
  context: CheckContext,
  month: string,
  now: Date,
): Promise<number> {
  const detail = "No credits are left this month for this check.";
  const which = sql`c.status = 'queued' and c.reserved_month is null`;
  return failMany(db, context, which, { code: "credits_exhausted", detail }, now, async (trx, payer) => {
    if ((await freeCredits(trx, payer, 1, month)) > 0) throw new CreditsReturned();
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
  return failMany(db, context, sql`c.status in ('queued', 'leased')`, failure, now);
}

/** Fails checks in many transactions. @returns how many */
function failMany(
  db: Kysely<Database>,
  context: CheckContext,
  which: ReturnType<typeof sql>,
  failure: Failure,
  now: Date,
  verify?: (trx: Kysely<Database>, payer: Payer) => Promise<void>,
): Promise<number> {
  return inBatches(failed, (size) => failSome(db, context, which, { size, failure, now, verify }));
}

type Failing = {
  size: number;
  failure: Failure;
  now: Date;
  /** Called before the end of the transaction; throws CreditsReturned to roll it back. */
  verify: ((trx: Kysely<Database>, payer: Payer) => Promise<void>) | undefined;
};

async function failSome(
  db: Kysely<Database>,
  context: CheckContext,
  which: ReturnType<typeof sql>,
  { size, failure, now, verify }: Failing,
): Promise<number> {
  try {
    return await db.transaction().execute(async (trx) => {
      const { reportId, kind } = context;
      const ids = sql`select c.id from checks c where c.report_id = ${reportId} and c.kind = ${kind} and ${which}
        order by c.id limit ${size}`;
      const checks = await lockChecks(trx, sql`c.id in (${ids}) and ${which}`, sql`skip locked`);
      const outcome: CheckOutcome = { kind, failure };
      const payer = await endChecks(
        trx,
        context,
        checks.map((check) => ({ check, outcome })),
        now,
      );
      if (payer) await verify?.(trx, payer);
      return checks.length;
    });
  } catch (error) {
    if (error instanceof ReportGoneError || error instanceof CreditsReturned) return 0;
    throw error;
  }
}

async function lockChecks(trx: Kysely<Database>, which: ReturnType<typeof sql>, wait = sql``): Promise<LockedCheck[]> {
  const { rows } = await sql<LockedCheck>`
    select c.id, c.web_page_id, w.url, c.lease_token, to_char(c.reserved_month, 'YYYY-MM-DD') as reserved_month,
      c.errors, c.warnings, c.minor, c.moderate, c.serious, c.critical, c.outside_standard, c.stored_bytes
    from checks c join web_pages w on w.id = c.web_page_id
    where ${which}
    order by c.web_page_id
    for update of c ${wait} for no key update of w ${wait}`.execute(trx);
  return rows;
}

/** Rolls a transaction back: credits were released in the meantime. */
class CreditsReturned extends Error {}
