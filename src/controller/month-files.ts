import { createOnce } from "../cluster/create-once.ts";
import { jobEnd } from "../cluster/job-end.ts";
import { jobToken } from "../database/job-role.ts";
import {
  deleteOldMonthFiles,
  endMonthFile,
  listOpenMonthFiles,
  type OpenMonthFile,
  setMonthFileJob,
} from "../database/months/month-files.ts";
import { MAKING_SECONDS } from "../domain/months/month-file.ts";
import { labels } from "../schema/resources.ts";
import { createNotifier } from "../time/notifier.ts";
import type { ControllerDeps } from "./deps.ts";
import { printerManifest, printerName } from "./jobs/printer-manifest.ts";

/** How often to look while a file is made, and without a notification. */
const BUSY_MS = 2_000;
const POLL_MS = 30_000;
/** As many files are made at the same time: each starts a browser. */
const MAX_AT_ONCE = 2;
/** A Job that has not said anything so long after its deadline is given up. */
const GIVEN_UP_MS = (MAKING_SECONDS + 60) * 1_000;

export type MonthFilesWorker = {
  /** Call this when a file may wait, or be made. */
  notify(): void;
  /** Has files made until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>;
};

/**
 * Has the PDFs of months made, each by a Job of its own with a browser that reaches nothing, and removes the Job afterwards. It
 * runs with the controller's leader; its Jobs have names of their files, so the next leader goes on with them.
 */
export function createMonthFilesWorker({ cluster, db, log, now, settings }: ControllerDeps): MonthFilesWorker {
  const { notify, wait } = createNotifier();
  const { namespace } = settings;

  /** What a file needs next. @returns whether it is looked at again soon */
  async function step({ id, state, has_job, asked_at }: OpenMonthFile): Promise<boolean> {
    const isOver = state === "ready" || state === "failed";
    if (isOver) {
      await cluster.delete("Job", namespace, printerName(id));
      await setMonthFileJob(db, id, false);
      return false;
    }
    if (!has_job) {
      const manifest = printerManifest(id, settings, await jobToken(db, id));
      const job = await createOnce(
        cluster,
        "Job",
        manifest,
        ({ metadata }) => metadata.labels?.[labels.printer] === id,
      );
      if (job) await setMonthFileJob(db, id, true);
      else await endMonthFile(db, id, { failure: "The Job could not be created: its name is taken." });
      return true;
    }
    const job = await cluster.get("Job", namespace, printerName(id));
    const isLate = now().getTime() - asked_at.getTime() > GIVEN_UP_MS;
    // One that has ended well has said so in the row, which this pass may have read before.
    const hasFailed = job !== undefined && jobEnd(job)?.type === "Failed";
    if (hasFailed || isLate)
      await endMonthFile(db, id, { failure: "The file could not be made in time, or its Job has failed: ask again." });
    return true;
  }

  return {
    notify,
    async run(signal) {
      while (!signal.aborted) {
        let isBusy = false;
        try {
          for (const file of await listOpenMonthFiles(db, MAX_AT_ONCE)) isBusy = (await step(file)) || isBusy;
          if (!isBusy) await deleteOldMonthFiles(db, now());
        } catch (error) {
          if (!signal.aborted) log.warn("the files of months could not be looked after", { error });
        }
        await wait(isBusy ? BUSY_MS : POLL_MS, signal);
      }
    },
  };
}
