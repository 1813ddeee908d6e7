import { plural } from "../../domain/plural.ts";
import type { Condition, ReportStatus } from "../../schema/resources.ts";

/** An event for people, shown by `kubectl describe`. */
export type ReportEvent = { type: "Normal" | "Warning"; reason: string; message: string };

/**
 * The events between two statuses of a Report, in order. Counters cause no events, and neither does
 * a problem that persists.
 */
export function reportEvents(before: ReportStatus | undefined, after: ReportStatus): ReportEvent[] {
  return [
    ...capacity(before, after),
    ...started(before, after),
    ...pods(before, after),
    ...givenUp(before, after),
    ...end(before, after),
    ...gate(before, after),
  ];
}

function capacity(before: ReportStatus | undefined, after: ReportStatus): ReportEvent[] {
  const now = find(after, "Crawled");
  if (now?.reason !== "WaitingForCapacity" || find(before, "Crawled")?.reason === now.reason) return [];
  return [{ type: "Normal", reason: now.reason, message: now.message }];
}

function started(before: ReportStatus | undefined, after: ReportStatus): ReportEvent[] {
  if (before?.startTime !== undefined || after.startTime === undefined) return [];
  return [{ type: "Normal", reason: "Started", message: "The site is being crawled and checked." }];
}

function pods(before: ReportStatus | undefined, after: ReportStatus): ReportEvent[] {
  const [was, is] = [find(before, "PodsHealthy"), find(after, "PodsHealthy")];
  if (!is || (was?.status === is.status && was.reason === is.reason)) return [];
  if (is.status === "True") return was ? [{ type: "Normal", reason: "PodsHealthy", message: is.message }] : [];
  return [{ type: "Warning", reason: is.reason, message: is.message }];
}

function givenUp(before: ReportStatus | undefined, after: ReportStatus): ReportEvent[] {
  const { stopReason, phase } = after;
  if (stopReason === undefined || stopReason === before?.stopReason || phase === "Failed") return [];
  const message = "Part of the report's work was given up: see its conditions and the controller's log.";
  return [{ type: "Warning", reason: stopReason, message }];
}

function end(before: ReportStatus | undefined, after: ReportStatus): ReportEvent[] {
  const { phase, pages = 0, errors = 0, warnings = 0 } = after;
  if (phase === before?.phase && find(before, "Failed")?.reason === find(after, "Failed")?.reason) return [];
  if (phase === "Complete") return [{ type: "Normal", reason: "Completed", message: totals(pages, errors, warnings) }];
  if (phase !== "Failed") return [];
  const failed = find(after, "Failed");
  const message = failed ? `${failed.reason}: ${failed.message}` : "The report failed.";
  return [{ type: "Warning", reason: "Failed", message }];
}

function totals(pages: number, errors: number, warnings: number): string {
  return `${plural(pages, "page")}: ${plural(errors, "error")}, ${plural(warnings, "warning")}.`;
}

/** May also come after the end, when a muting or a removed page changes the counts. */
function gate(before: ReportStatus | undefined, after: ReportStatus): ReportEvent[] {
  const now = find(after, "Passed");
  if (now?.status !== "False" || find(before, "Passed")?.status === "False") return [];
  return [{ type: "Warning", reason: now.reason, message: now.message }];
}

function find(status: ReportStatus | undefined, type: string): Condition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}
