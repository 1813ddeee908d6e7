import { deleteExpiredKeys } from "../database/accounts/api-requests.ts";
import { hasUncounted } from "../database/findings/comparisons.ts";
import { listReopened } from "../database/reports/progress.ts";
import { countUncounted } from "../transactions/compare.ts";
import { purgeDeletedReports, purgeWorkingRows } from "../transactions/purge.ts";
import { carryOutSteps, type Step } from "./background-steps.ts";
import type { ControllerDeps } from "./deps.ts";
import { withLongStatements } from "./long-statements.ts";
import { sweepOrphans } from "./report/finalize.ts";

const INTERVAL_MS = 300_000;
/** The resource of a younger row may still be being created. */
const ORPHAN_AGE_MS = 60_000;

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
    [
      "count comparisons",
      async (signal, onFailure) => {
        if (!(await hasUncounted(db))) return;
        await withLongStatements(deps, (long) => countUncounted(long, { signal, onFailure }));
      },
    ],
  ];
}
