import type { Kysely } from "kysely";
import { listExpiring } from "../database/accounts/mutings.ts";
import { listOutdatedReports, type OutdatedReport } from "../database/reports/recounts.ts";
import type { Database } from "../database/tables.ts";
import type { Backoff } from "../domain/backoff.ts";
import { createNotifier } from "../time/notifier.ts";
import { expireMutings } from "../transactions/change-mutings.ts";
import { recountReport } from "../transactions/recount.ts";
import type { ControllerDeps } from "./deps.ts";
import { withLongStatements } from "./long-statements.ts";
import { createRetries } from "./retries.ts";

/** How often to poll without a notification: a check may have been judged by outdated mutings, and mutings expire. */
const POLL_MS = 5_000;
/**
 * The pauses of a report that cannot be recounted. Reports of all accounts are recounted one after the other, and such a
 * try may take as long as a recount.
 */
const backoff: Backoff = { baseMs: POLL_MS, maxMs: 1_800_000 };

export type Recounter = {
  /** Call this when mutings have changed. */
  notify(): void;
  run(signal: AbortSignal): Promise<void>;
};

/**
 * Ends expired mutings, and applies changed ones to existing results, one report after the other.
 *
 * @param clock milliseconds that never decrease
 */
export function createRecounter(
  deps: Pick<ControllerDeps, "db" | "databaseUrl" | "databaseLimits" | "term" | "log" | "now">,
  clock: () => number = () => performance.now(),
): Recounter {
  const { db, log, now } = deps;
  const { notify, wait } = createNotifier();
  const retries = createRetries(backoff, clock);

  /**
   * Recounts each outdated report once. A report that stays outdated, because a check was judged by older mutings
   * meanwhile, is tried again in the next pass; one that fails, after a pause.
   */
  async function pass(signal: AbortSignal): Promise<void> {
    const tried = new Set<string>();
    while (!signal.aborted) {
      await expire();
      const waiting = retries.waiting();
      const reports = await listOutdatedReports(db, [...tried, ...waiting]);
      if (reports.length === 0) return forgetOthers(new Set([...tried, ...waiting]));
      // Recounting the comparisons of a report takes about as long as making them.
      await withLongStatements(deps, async (long) => {
        for (const report of reports) {
          if (signal.aborted) return;
          tried.add(report.id);
          await recount(long, report, signal);
        }
      });
    }
  }

  /** Reports that are not outdated any more, or deleted, are not retried. @param outdated those that may still be */
  function forgetOthers(outdated: ReadonlySet<string>): void {
    for (const id of retries.due()) if (!outdated.has(id)) retries.succeeded(id);
  }

  /** Ends expired mutings. An account for which that fails is tried again in the next pass. */
  async function expire(): Promise<void> {
    for (const account of await listExpiring(db, now()))
      try {
        const mutings = await expireMutings(db, account, now());
        if (mutings > 0) log.info("mutings have ended, or are in force again", { account, mutings });
      } catch (error) {
        log.warn("mutings could not be ended", { account, error });
      }
  }

  async function recount(long: Kysely<Database>, report: OutdatedReport, signal: AbortSignal): Promise<void> {
    try {
      await recountReport(long, report, signal);
      // It may have stopped before its end.
      if (signal.aborted) return;
      retries.succeeded(report.id);
      log.info("report recounted", { report: report.id, revision: report.revision });
    } catch (error) {
      if (signal.aborted) return;
      retries.failed(report.id);
      log.warn("recount failed", { report: report.id, error });
    }
  }

  return {
    notify,
    async run(signal) {
      while (!signal.aborted) {
        try {
          await pass(signal);
        } catch (error) {
          if (!signal.aborted) log.warn("outdated reports could not be listed", { error });
        }
        await wait(POLL_MS, signal);
      }
    },
  };
}
