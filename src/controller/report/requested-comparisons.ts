import { isStatementTimeout } from "../../database/connection/errors.ts";
import {
  endRequest,
  failRequest,
  listNextRequests,
  putBackRequest,
  recordProgress,
  startRequest,
} from "../../database/findings/comparison-requests.ts";
import type { Pair } from "../../database/findings/comparisons.ts";
import { findReports } from "../../database/reports/read-reports.ts";
import type { ComparisonFailure } from "../../domain/findings/comparison-failure.ts";
import { compareReports } from "../../transactions/compare.ts";
import type { ControllerDeps } from "../deps.ts";
import { mayPass } from "../failures.ts";
import { withLongStatements } from "../long-statements.ts";

/** A comparison is given up after it was started this often, also by controllers that ended meanwhile. */
const MAX_TRIES = 5;

/** Comparisons that clients asked for through the API. Their requests are rows, so they outlive the controller. */
export type RequestedComparisons = {
  /**
   * Makes the next one, of the account that was served longest ago. An account has one made at a time.
   *
   * @returns false when there is nothing to make
   */
  makeNext(stopping: AbortSignal): Promise<boolean>;
  /** Ends a comparison that is being made when one of its reports, which has changed, is deleted. */
  onChange(reportId: string): void;
};

/** Its report or base was deleted. */
class Abandoned extends Error {}

export function createRequestedComparisons(deps: ControllerDeps): RequestedComparisons {
  const { db } = deps;
  /** By account. */
  const underWay = new Map<string, Pair & { abandon: AbortController }>();
  /** When an account was served last, as a number that grows. */
  const served = new Map<string, number>();
  let turn = 0;

  async function take(): Promise<(Pair & { accountId: string }) | undefined> {
    const waiting = (await listNextRequests(db)).filter(({ accountId }) => !underWay.has(accountId));
    const accounts = new Set(waiting.map(({ accountId }) => accountId));
    for (const account of served.keys()) if (!accounts.has(account) && !underWay.has(account)) served.delete(account);
    return waiting.sort((a, b) => (served.get(a.accountId) ?? 0) - (served.get(b.accountId) ?? 0))[0];
  }

  async function make(pair: Pair, abandon: AbortController, stopping: AbortSignal): Promise<void> {
    const log = deps.log.child({ report: pair.reportId, base: pair.baseId });
    const tries = await startRequest(db, pair);
    if (tries === undefined) return;
    if (tries > MAX_TRIES) {
      log.error("requested comparison given up", { tries });
      return failRequest(db, pair, "not_compared");
    }
    const signal = AbortSignal.any([abandon.signal, stopping]);
    try {
      await withLongStatements(
        deps,
        (long) =>
          compareReports(long, pair.reportId, pair.baseId, async (percent) => {
            if (!(await recordProgress(db, pair, percent))) abandon.abort();
            if (signal.aborted) throw new Abandoned();
          }),
        signal,
      );
      // One that has no result any more, because a report is being checked again, is not made either.
      await endRequest(db, pair);
      log.info("requested comparison made");
    } catch (error) {
      if (abandon.signal.aborted) {
        log.info("requested comparison ended: a report is deleted");
        await endRequest(db, pair);
      } else if (stopping.aborted) await putBackRequest(db, pair);
      else {
        const failure = failureOf(error, tries);
        if (failure === undefined) throw error;
        log.error("requested comparison failed", { failure, error });
        await failRequest(db, pair, failure);
      }
    }
  }

  return {
    async makeNext(stopping) {
      const next = await take();
      if (!next || underWay.has(next.accountId)) return next !== undefined;
      const { accountId, reportId, baseId } = next;
      const abandon = new AbortController();
      underWay.set(accountId, { reportId, baseId, abandon });
      try {
        await make({ reportId, baseId }, abandon, stopping);
      } finally {
        underWay.delete(accountId);
        served.set(accountId, ++turn);
      }
      return true;
    },
    onChange(id) {
      for (const { reportId, baseId, abandon } of underWay.values()) {
        if (reportId !== id && baseId !== id) continue;
        findReports(db, [id]).then(
          (found) => found.length === 0 && abandon.abort(),
          // The next step of the comparison looks again.
          (error) => deps.log.warn("report of a comparison could not be read", { report: id, error }),
        );
      }
    },
  };
}

/** @returns undefined for an error that may not occur again in another try */
function failureOf(error: unknown, tries: number): ComparisonFailure | undefined {
  // A statement that took too long would do so again.
  if (isStatementTimeout(error)) return "took_too_long";
  return mayPass(error, tries) ? undefined : "not_compared";
}
