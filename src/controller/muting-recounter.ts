import { listOutdatedReports, type OutdatedReport, recountReport } from "../database/reports/recount.ts";
import { pause } from "../time/retry.ts";
import type { ControllerDeps } from "./deps.ts";

/** How often to poll without a notification: a check may have been judged by outdated mutings. */
const POLL_MS = 5_000;

export type Recounter = {
  /** Call this when mutings have changed. */
  notify(): void;
  run(signal: AbortSignal): Promise<void>;
};

/** Applies changed mutings to existing results, one report after the other. */
export function createRecounter({ db, log }: Pick<ControllerDeps, "db" | "log">): Recounter {
  let wakeUp = new AbortController();

  /**
   * Recounts each outdated report once. A report that stays outdated or fails is tried again in
   * the next pass, after all others.
   */
  async function pass(signal: AbortSignal): Promise<void> {
    const tried = new Set<string>();
    while (!signal.aborted) {
      const reports = await listOutdatedReports(db, [...tried]);
      if (reports.length === 0) return;
      for (const report of reports) {
        if (signal.aborted) return;
        tried.add(report.id);
        await recount(report, signal);
      }
    }
  }

  async function recount(report: OutdatedReport, signal: AbortSignal): Promise<void> {
    try {
      await recountReport(db, report, signal);
      log.info("report recounted", { report: report.id, revision: report.revision });
    } catch (error) {
      if (!signal.aborted) log.warn("recount failed", { report: report.id, error });
    }
  }

  return {
    notify: () => wakeUp.abort(),
    async run(signal) {
      while (!signal.aborted) {
        wakeUp = new AbortController();
        const either = AbortSignal.any([signal, wakeUp.signal]);
        try {
          await pass(signal);
        } catch (error) {
          if (!signal.aborted) log.warn("outdated reports could not be listed", { error });
        }
        await pause(POLL_MS, either);
      }
    },
  };
}
