import { listUnfinished, readProgress, type UnfinishedReport } from "../../database/reports/progress.ts";
import { markReportDeleted } from "../../database/reports/reports.ts";
import { annotations, FINALIZER, type ReportResource } from "../../schema/resources.ts";
import type { ControllerDeps } from "../deps.ts";
import { isWatched } from "../settings.ts";
import { reportLog } from "./log.ts";
import { listJobs } from "./observe.ts";

/** When to check again whether the Jobs are gone, in case no event arrives. */
const JOBS_GONE_MS = 1_000;

/**
 * Ends a deleted Report: marks its rows at once, so that readers do not see it and late writes are
 * refused; then deletes its Jobs; then releases the resource.
 *
 * @returns milliseconds after which to check again, while Jobs remain
 */
export async function finalizeReport(deps: ControllerDeps, resource: ReportResource): Promise<number | undefined> {
  const { cluster, db, now } = deps;
  if (!resource.metadata.finalizers?.includes(FINALIZER)) return undefined;
  // A refused Report has no row, whatever id it claims: then neither rows nor Jobs belong to it.
  const row = await readProgress(db, { uid: resource.metadata.uid });
  if (row) {
    // A report that runs ends with its resource: the annotation can be set by everybody who may edit it.
    const hasEnded = row.completedAt !== null || row.runBase != null;
    const keep = hasEnded && resource.metadata.annotations?.[annotations.keepRows] === "true";
    if (!keep) await markReportDeleted(db, row.id, now());
    if ((await deleteJobs(deps, row.id)) > 0) return JOBS_GONE_MS;
  }
  await cluster.update<"Report">({
    ...resource,
    metadata: {
      ...resource.metadata,
      finalizers: resource.metadata.finalizers.filter((name) => name !== FINALIZER),
    },
  });
  reportLog(deps.log, resource, row?.id ?? resource.metadata.uid).info("report removed");
  return undefined;
}

/** Deletes a report's Jobs. @returns how many existed */
async function deleteJobs(deps: ControllerDeps, id: string): Promise<number> {
  const jobs = await listJobs(deps, id);
  await deps.jobSecrets.delete(jobs);
  for (const { metadata } of jobs) {
    if (metadata.deletionTimestamp) continue;
    await deps.cluster.delete("Job", metadata.namespace, metadata.name, { uid: metadata.uid });
  }
  return jobs.length;
}

/**
 * Ends unfinished reports whose resource is gone: it was removed before it had a finalizer, or the
 * finalizer was removed. Ended reports keep their rows. If a report cannot be ended, the next sweep
 * tries again, and the other reports are not affected.
 *
 * @param olderThan spares newer rows, whose resources may still be being created
 */
export async function sweepOrphans(deps: ControllerDeps, olderThan: Date): Promise<void> {
  const { db, log } = deps;
  for (const row of await listUnfinished(db)) {
    // Resources in other namespaces cannot be read.
    if (!isWatched(deps.settings, row.namespace)) continue;
    // A reopened report is processed from its row alone.
    if (row.insertedAt >= olderThan || row.reopened) continue;
    try {
      await endOrphan(deps, row);
    } catch (error) {
      log.warn("a report whose resource may be gone could not be ended", { report: row.id, error });
    }
  }
}

/** Ends a report that was seen to run, if its resource is gone: somebody removed the finalizer and deleted it. */
export async function endGone(deps: ControllerDeps, id: string): Promise<void> {
  const row = await readProgress(deps.db, id);
  // A reopened report is processed from its row alone.
  if (row && !row.completedAt && !row.deletedAt && !row.runBase) await endOrphan(deps, row);
}

async function endOrphan(
  deps: ControllerDeps,
  row: Pick<UnfinishedReport, "id" | "namespace" | "name" | "uid">,
): Promise<void> {
  const { cluster, db, now, log } = deps;
  const resource = await cluster.get("Report", row.namespace, row.name);
  if (resource?.metadata.uid === row.uid) return;
  // Jobs first: a marked row is not found again.
  await deleteJobs(deps, row.id);
  await markReportDeleted(db, row.id, now());
  log.warn("report's resource is gone; its rows are marked deleted", { report: row.id });
}
