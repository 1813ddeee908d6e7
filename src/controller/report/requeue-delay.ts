import { isDeepStrictEqual } from "node:util";
import { hasJobEnded } from "../../cluster/job-end.ts";
import type { JobResource } from "../../schema/resources.ts";
import type { ReportPlan, ReportSnapshot } from "./plan.ts";

/** The longest time between two looks at a running report that does not change. */
const MAX_QUIET_MS = 30_000;

/**
 * When to look at a report again without an event. Crawlers and checkers report their progress, and Jobs are watched: a
 * report whose pods work and whose status says all that there is to say needs no look every two seconds, and many at
 * once would keep the API server busy with nothing else. So each look that finds nothing doubles the time to the next.
 *
 * @param before what this returned for the last look, if that found nothing either
 * @returns undefined: only after an event
 */
export function requeueAfter(
  { resource, row, jobs, pods }: ReportSnapshot,
  { actions, status, pauses = false, requeueAfterMs }: ReportPlan,
  before: number | undefined,
  now: Date,
): { ms: number | undefined; quiet: boolean } {
  const running = jobs.filter((job) => !hasJobEnded(job));
  const works = pods !== undefined && pods.idle.size === 0 && !pods.trouble && running.length > 0;
  const quiet =
    works &&
    !pauses &&
    !running.some(lacksPods) &&
    row.completedAt === null &&
    actions.length === 0 &&
    isDeepStrictEqual(resource.status, status);
  if (!quiet || requeueAfterMs === undefined) return { ms: requeueAfterMs, quiet: false };
  const ms = Math.min(MAX_QUIET_MS, Math.max(requeueAfterMs, 2 * (before ?? 0)), deadlineIn(resource, now));
  return { ms, quiet: true };
}

/** True for a Job without a ready pod, although it should have one: what is known of its pods may be out of date. */
function lacksPods({ spec, status }: JobResource): boolean {
  return spec.parallelism !== 0 && status?.ready === 0 && !status.succeeded;
}

/** The time to the report's own deadline, in milliseconds. */
function deadlineIn({ spec, status }: ReportSnapshot["resource"], now: Date): number {
  const { activeDeadlineSeconds: seconds } = spec;
  if (seconds === 0 || status?.startTime === undefined) return Number.POSITIVE_INFINITY;
  return Math.max(0, Date.parse(status.startTime) + seconds * 1_000 - now.getTime());
}
