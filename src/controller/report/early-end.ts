import type { ReportProgress } from "../../database/reports/progress.ts";
import type { Failure } from "../../domain/failure.ts";
import type { ReportResource } from "../../schema/resources.ts";

/** Why a report ends before its work is done: the failure of its remaining pages, and the reason in its status. */
export type EarlyEnd = { failure: Failure; stopReason: string };

/**
 * Why a report has to end now with what it has: somebody cancelled it, or its own deadline has passed. Both apply only
 * to the report's run, not to later rechecks of single pages.
 *
 * @returns undefined while it may go on
 */
export function earlyEndOf(resource: ReportResource, { runBase }: ReportProgress, now: Date): EarlyEnd | undefined {
  if (runBase) return undefined;
  const { cancelled, activeDeadlineSeconds: seconds } = resource.spec;
  if (cancelled)
    return { failure: { code: "cancelled", detail: "The report was cancelled." }, stopReason: "Cancelled" };
  // A report that waits for capacity has no deadline yet.
  const startTime = resource.status?.startTime;
  if (seconds === 0 || startTime === undefined) return undefined;
  if (Date.parse(startTime) + seconds * 1_000 > now.getTime()) return undefined;
  const detail = `The report's deadline of ${seconds} s (activeDeadlineSeconds) has passed.`;
  return { failure: { code: "deadline_exceeded", detail }, stopReason: "DeadlineExceeded" };
}
