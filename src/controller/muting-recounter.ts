import { pause } from "../cluster/follow.ts";
import { listOutdatedReports, type OutdatedReport, recountReport } from "../database/reports/recount.ts";
import type { ControllerDeps } from "./deps.ts";

/** How often to look though nobody called: a check may have been judged by mutings of a moment ago. */
const LOOK_MS = 5_000;

export type Recounter = {
  /** Mutings have changed. */
  ring(): void;
  run(signal: AbortSignal): Promise<void>;
};

/** Applies changed mutings to results that are there, one report after the other. */
export function createRecounter({ db, log }: Pick<ControllerDeps, "db" | "log">): Recounter {
  let bell = new AbortController();

  /**
   * Recounts each outdated report once: one that stays outdated, or that fails, has its next
   * turn in the next pass, after all others.
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
      if (!signal.aborted) log.warn("recount failed", { report: report.id, error: String(error) });
    }
  }

  return {
    ring: () => bell.abort(),
    async run(signal) {
      while (!signal.aborted) {
        bell = new AbortController();
        const either = AbortSignal.any([signal, bell.signal]);
        try {
          await pass(signal);
        } catch (error) {
          if (!signal.aborted) log.warn("outdated reports not looked for", { error: String(error) });
        }
        await pause(LOOK_MS, either);
      }
    },
  };
}
