import { type ReportProgress, readProgress, setPhase } from "../../database/reports/progress.ts";
import { type JobResource, labels, type ReportResource } from "../../schema/resources.ts";
import type { ControllerDeps } from "../deps.ts";
import { templateDigest } from "../jobs/manifest.ts";
import type { Scheduler } from "../scheduling/scheduler.ts";
import type { ReportSnapshot } from "./plan.ts";

/**
 * Gathers all that one plan is made from, live: the resource (already claimed), its
 * Jobs, its row, and what the last scheduling pass granted it.
 *
 * A report that runs through; `C` crawler, `H` html-checker, `A` a11y-checker, `=` a
 * Job that runs, `✓` one that is complete, `·` pages becoming checks:
 *
 *     C1 =====✓
 *        ·····              crawl_state: pending → crawling → ended
 *     H1 =========✓
 *     A1 ============✓      the last check's end makes the report Complete
 *
 * A checker Job that ends while checks remain (its pods died too often `✗`, or the
 * Job was removed from outside) is followed by another run, some times:
 *
 *     C1 =====✓
 *     H1 ===✗ H2 ====✓      runs: {html-checker: 2}
 *     H1 ===✗ H2 ✗ … H6 ✗   → checks that remain are failed, stopReason CheckerFailed
 *
 * A crawler's likewise; given up, it ends the crawl with what it found, or fails the report:
 *
 *     C1 ==✗ C2 ✗ … C6 ✗    → crawl_state ended (pages) or failed (none)
 *     H1 ======✓
 *
 * One of which no pod works is removed and followed: at once when the settings of its pods
 * changed meanwhile, after half a minute when its pods ended or their node is lost `?`:
 *
 *     H1 ===?   H2 ====✓
 *
 * A controller that was killed between two writes left less, never something wrong:
 *
 *     Report                        no stamp, no row     → claim, then all Jobs
 *     Report + row                  no Job               → all Jobs
 *     Report + row + C1             status without runs  → H1 (C1 is seen by its labels)
 *     Report + row + C1 + H1        status without runs  → status
 *     Report + row + C1             C1 lacks its Secret  → the Secret, then all other Jobs
 *     Report + row, runs {C: 1}     C1 ended and removed → nothing, where the crawl is over
 *
 * A deleted Report (finalize.ts): row marked → Jobs deleted → finalizer released.
 */
export async function observeReport(
  { cluster, db, settings, podsOf, jobSecrets, log }: ControllerDeps,
  scheduler: Pick<Scheduler, "grantOf">,
  claimed: { id: string; resource: ReportResource; row: ReportProgress },
): Promise<ReportSnapshot> {
  const { id, resource } = claimed;
  // Jobs first, then the row: a Job that is seen as complete has written all it had to write.
  const jobs = await listJobs({ cluster, settings }, id);
  const row = (await readProgress(db, id)) ?? claimed.row;
  const ended = row.phase === "Complete" || row.phase === "Failed";
  const grant = ended ? { run: false, checkers: {} } : scheduler.grantOf(row, jobs);
  // The place is taken before the first Job is made: a restart finds it taken.
  if (grant.run && row.phase === "Pending") await setPhase(db, id, "Crawling");
  // A look that fails must not hold up the report.
  const pods = ended
    ? undefined
    : await podsOf?.(id, jobs).catch((error) => void log.warn("pods not looked at", { error: String(error) }));
  const withoutSecret = jobSecrets.missing(jobs);
  const { reportTtlSeconds } = settings;
  return { resource, row, jobs, withoutSecret, grant, pods, template: templateDigest(settings), reportTtlSeconds };
}

/** All Jobs of a report. */
export async function listJobs(
  { cluster, settings }: Pick<ControllerDeps, "cluster" | "settings">,
  id: string,
): Promise<JobResource[]> {
  const { items } = await cluster.list("Job", { namespace: settings.namespace, labels: { [labels.report]: id } });
  return items;
}
