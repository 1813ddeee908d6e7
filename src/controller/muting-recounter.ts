import type { Kysely } from "kysely";
import { expireMutings, listExpiring } from "../database/accounts/expire-mutings.ts";
import { listOutdatedReports, type OutdatedReport, outdateMisjudged } from "../database/reports/outdated-reports.ts";
import { recountReport } from "../database/reports/recount.ts";
import type { Database } from "../database/tables.ts";
import { createNotifier } from "../time/notifier.ts";
import type { ControllerDeps } from "./deps.ts";
import { withLongStatements } from "./long-statements.ts";

/** How often to poll without a notification: a check may have been judged by outdated mutings, and mutings expire. */
const POLL_MS = 5_000;
/** How often to look for results of programs of an earlier version, which run until their Jobs end. */
const MISJUDGED_MS = 300_000;

export type Recounter = {
  /** Call this when mutings have changed. */
  notify(): void;
  run(signal: AbortSignal): Promise<void>;
};

/** Ends expired mutings, and applies changed ones to existing results, one report after the other. */
export function createRecounter(
  deps: Pick<ControllerDeps, "db" | "databaseUrl" | "databaseLimits" | "term" | "log" | "now">,
): Recounter {
  const { db, log, now } = deps;
  const { notify, wait } = createNotifier();
  let searchedAt = Number.NEGATIVE_INFINITY;

  /**
   * Recounts each outdated report once. A report that stays outdated or fails is tried again in
   * the next pass, after all others.
   */
  async function pass(signal: AbortSignal): Promise<void> {
    await searchMisjudged();
    const tried = new Set<string>();
    while (!signal.aborted) {
      await expire();
      const reports = await listOutdatedReports(db, [...tried]);
      if (reports.length === 0) return;
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

  async function searchMisjudged(): Promise<void> {
    if (now().getTime() - searchedAt < MISJUDGED_MS) return;
    try {
      if ((await outdateMisjudged(db)) > 0) return;
    } catch (error) {
      log.warn("results of an earlier version could not be searched", { error });
    }
    searchedAt = now().getTime();
  }

  async function recount(long: Kysely<Database>, report: OutdatedReport, signal: AbortSignal): Promise<void> {
    try {
      await recountReport(long, report, signal);
      log.info("report recounted", { report: report.id, revision: report.revision });
    } catch (error) {
      if (!signal.aborted) log.warn("recount failed", { report: report.id, error });
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
