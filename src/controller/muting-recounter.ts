import { pause } from "../cluster/follow.ts";
import { findOutdatedReport, recountReport } from "../database/reports/recount.ts";
import type { ControllerDeps } from "./deps.ts";

/** How often to look though nobody called: a check may have been judged by mutings of a moment ago. */
const LOOK_MS = 5_000;

export type Recounter = {
  /** Mutings have changed. */
  ring(): void;
  run(signal: AbortSignal): Promise<void>;
};

/** Applies changed mutings to results that are there, one report after the other, until none is outdated. */
export function createRecounter({ db, log }: Pick<ControllerDeps, "db" | "log">): Recounter {
  let bell = new AbortController();
  return {
    ring: () => bell.abort(),
    async run(signal) {
      while (!signal.aborted) {
        bell = new AbortController();
        const either = AbortSignal.any([signal, bell.signal]);
        try {
          for (let last: string | undefined; !signal.aborted; ) {
            const report = await findOutdatedReport(db);
            // Once more the same: a check was settled in between; the next look finds it.
            if (!report || `${report.id} ${report.revision}` === last) break;
            last = `${report.id} ${report.revision}`;
            await recountReport(db, report, signal);
            log.info("report recounted", { report: report.id, revision: report.revision });
          }
        } catch (error) {
          if (!signal.aborted) log.warn("recount failed", { error: String(error) });
        }
        await pause(LOOK_MS, either);
      }
    },
  };
}
