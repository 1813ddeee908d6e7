import { type ReportProgress, readProgress } from "../../database/reports/progress.ts";
import { type JobResource, labels, type ReportResource } from "../../schema/resources.ts";
import { isEndPhase } from "../../schema/status.ts";
import type { ControllerDeps } from "../deps.ts";
import { templateDigest } from "../jobs/manifest.ts";
import type { Scheduler } from "../scheduling/scheduler.ts";
import type { ReportSnapshot } from "./plan.ts";

/**
 * Gathers everything that a plan depends on: the resource (already admitted), its Jobs, its row, and
 * the grant of the last scheduling pass. The row is read live, the Jobs may come from their watch (docs/adr/0053).
 *
 * A report without problems; `C` crawler, `H` and `A` checkers of two kinds, `=` a running Job, `✓`
 * a complete one, `·` pages becoming checks:
 *
 *     C1 =====✓
 *        ·····              crawl_state: pending → crawling → ended
 *     H1 =========✓
 *     A1 ============✓      the last check's end makes the report Complete
 *
 * When a checker Job ends while checks remain (its pods failed too often `✗`, or somebody removed the
 * Job), another run follows, up to a limit:
 *
 *     C1 =====✓
 *     H1 ===✗ H2 ====✓      runs: {html-checker: 2}
 *     H1 ===✗ H2 ✗ … H6 ✗   → checks that remain are failed, stopReason CheckerFailed
 *
 * The same holds for a crawler Job. When it is given up, the crawl ends with the pages found, or the
 * report fails:
 *
 *     C1 ==✗ C2 ✗ … C6 ✗    → crawl_state ended (pages) or failed (none)
 *     H1 ======✓
 *
 * A Job without a working pod is removed and replaced: at once when the settings of its pods have
 * changed, after half a minute when its pods ended or their node is lost `?`:
 *
 *     H1 ===?   H2 ====✓
 *
 * A controller that is killed between two writes leaves an incomplete state, never a wrong one:
 *
 *     Report                        no id, no row        → admit, then all Jobs
 *     Report + row                  no Job               → all Jobs
 *     Report + row + C1             status without runs  → H1 (C1 is seen by its labels)
 *     Report + row + C1 + H1        status without runs  → status
 *     Report + row + C1             C1 lacks its Secret  → the Secret, then all other Jobs
 *     Report + row, runs {C: 1}     C1 ended and removed → nothing, where the crawl is over
 *
 * A deleted Report (finalize.ts): row marked → Jobs deleted → finalizer released.
 */
export async function observeReport(
  { cluster, db, settings, podsOf, jobSecrets, endedJobs, log }: ControllerDeps,
  scheduler: Pick<Scheduler, "grantOf">,
  admitted: { id: string; resource: ReportResource; row: ReportProgress },
): Promise<ReportSnapshot> {
  const { id, resource } = admitted;
  // Jobs first, then the row: a Job that is complete has written everything to the row.
  const jobs = await listJobs({ cluster, settings }, id);
  const row = (await readProgress(db, id)) ?? admitted.row;
  const ended = isEndPhase(row.phase);
  const grant = ended ? { run: false, checkers: {} } : scheduler.grantOf(row, jobs);
  // If the pods cannot be read, the report continues.
  const pods = ended
    ? undefined
    : await podsOf?.(id, jobs).catch((error) => void log.warn("pods could not be read", { error }));
  const withoutSecret = jobSecrets.missing(jobs);
  const { reportTtlSeconds, jobBackoff } = settings;
  const template = templateDigest(settings);
  const endedFor = endedJobs(jobs);
  return { resource, row, jobs, withoutSecret, grant, pods, endedFor, template, jobBackoff, reportTtlSeconds };
}

/** All Jobs of a report. */
export async function listJobs(
  { cluster, settings }: Pick<ControllerDeps, "cluster" | "settings">,
  id: string,
): Promise<JobResource[]> {
  const { items } = await cluster.list("Job", { namespace: settings.namespace, labels: { [labels.report]: id } });
  return items;
}
