import { deleteExpiredKeys } from "../database/accounts/api-requests.ts";
import { endRolesOnGoneSites } from "../database/accounts/site-roles.ts";
import { settleIntents } from "../database/audit/entries.ts";
import { cutOldAddresses, deleteOldEntries } from "../database/audit/old-entries.ts";
import { inBatches } from "../database/batches.ts";
import { hasUncounted } from "../database/findings/comparisons.ts";
import { listReopened } from "../database/reports/progress.ts";
import { forgetDeletions } from "../database/retention/deletions.ts";
import { deleteOldNumbers } from "../database/retention/past-runs.ts";
import { DAY_MS } from "../domain/calendar-day.ts";
import { countUncounted } from "../transactions/compare.ts";
import { purgeDeletedReports, purgeWorkingRows } from "../transactions/purge.ts";
import { carryOutSteps, type Step } from "./background-steps.ts";
import type { ControllerDeps } from "./deps.ts";
import { withLongStatements } from "./long-statements.ts";
import { sweepOrphans } from "./report/finalize.ts";

const INTERVAL_MS = 300_000;
/** The resource of a younger row may still be being created. */
const ORPHAN_AGE_MS = 60_000;
/** How long it is known of a deletion what became of each report. */
const DELETION_KNOWN_DAYS = 30;
/** No request takes so long: one that has not said what became of it has no process any more. */
const SETTLED_AFTER_MS = 15 * 60_000;
const OLD_ROWS = { first: 100, most: 5_000 };

/**
 * Does periodically what no event triggers, until `signal` aborts. Steps run side by side, each with one statement at a
 * time: purging a large report may take minutes.
 *
 * @param wakeReopened called with the id of each report with a page that is checked again
 */
export async function maintain(
  deps: ControllerDeps,
  wakeReopened: (id: string) => void,
  signal: AbortSignal,
): Promise<void> {
  // Runs more often if the grace period is short, so that rows are purged soon after it.
  const intervalMs = Math.min(INTERVAL_MS, Math.max(1_000, deps.settings.deletionGraceSeconds * 1_000));
  await carryOutSteps(stepsOf(deps, wakeReopened), intervalMs, deps.log, signal);
}

function stepsOf(deps: ControllerDeps, wakeReopened: (id: string) => void): Step[] {
  const { db, log, now, settings } = deps;
  const ago = (milliseconds: number) => new Date(now().getTime() - milliseconds);
  const old =
    (forget: (size: number) => Promise<number>): Step[1] =>
    async (signal) => {
      await inBatches(OLD_ROWS, forget, signal);
    };
  return [
    [
      "wake reopened reports",
      async () => {
        for (const id of await listReopened(db)) wakeReopened(id);
      },
    ],
    ["end reports without a resource", () => sweepOrphans(deps, ago(ORPHAN_AGE_MS))],
    [
      "purge deleted reports",
      async (signal, onFailure) => {
        const before = ago(settings.deletionGraceSeconds * 1_000);
        const { watchNamespaces: watched } = settings;
        const reports = await purgeDeletedReports(db, before, signal, { onFailure, watched });
        if (reports > 0) log.info("rows of deleted reports purged", { reports });
      },
    ],
    ["purge working rows", async (signal, onFailure) => void (await purgeWorkingRows(db, signal, onFailure))],
    ["delete expired idempotency keys", (signal) => deleteExpiredKeys(db, now(), signal)],
    ["forget ended deletions", old((size) => forgetDeletions(db, ago(DELETION_KNOWN_DAYS * DAY_MS), size))],
    ["end roles on sites that are gone", () => endRolesOnGoneSites(db)],
    ["delete old numbers of runs", old((size) => deleteOldNumbers(db, now(), size))],
    ["delete old entries of the audit log", old((size) => deleteOldEntries(db, now(), size))],
    ["cut old addresses in the audit log", old((size) => cutOldAddresses(db, now(), size))],
    [
      "settle entries of the audit log",
      async (signal) => {
        const cutOff = await inBatches(OLD_ROWS, (size) => settleIntents(db, ago(SETTLED_AFTER_MS), size), signal);
        if (cutOff > 0)
          log.warn("requests were cut off: the audit log says of them that their outcome is unknown", {
            requests: cutOff,
          });
      },
    ],
    [
      "count comparisons",
      async (signal, onFailure) => {
        if (!(await hasUncounted(db))) return;
        await withLongStatements(deps, (long) => countUncounted(long, { signal, onFailure }));
      },
    ],
  ];
}
