import type { ReportProgress } from "../../database/reports/progress.ts";
import { gapsSentence } from "../../domain/coverage/coverage.ts";
import type { FailureCode } from "../../domain/failure.ts";
import { sumOf } from "../../domain/findings/check-counts.ts";
import { describeResult, type GateResult } from "../../domain/findings/gate.ts";
import { plural } from "../../domain/plural.ts";
import { hasConditions } from "../../schema/gate.ts";
import type { Condition, ReportPhase, ReportResource, ReportStatus } from "../../schema/resources.ts";
import { isEndPhase } from "../../schema/status.ts";
import { type ConditionUpdate, setConditions } from "../conditions.ts";
import type { PodProblem } from "../jobs/pod-health.ts";

export type StatusInput = {
  resource: ReportResource;
  row: ReportProgress;
  phase: ReportPhase;
  runs: NonNullable<ReportStatus["runs"]>;
  stopReason: string | undefined;
  /** Why the report's pods do not work. */
  trouble?: PodProblem | undefined;
  /** All checks have ended, but the report has not: it is being compared. */
  comparing?: boolean;
};

/** The whole status, from the row's counters and the plan's decisions. */
export function reportStatus(
  { resource, row, phase, runs, stopReason, trouble, comparing = false }: StatusInput,
  now: Date,
): ReportStatus {
  const previous = resource.status ?? {};
  const { generation } = resource.metadata;
  const ended = isEndPhase(phase);
  const reason = stopReason ?? (phase === "Failed" ? camelCaseReason(row.failureCode) : undefined);
  const startTime = previous.startTime ?? (runs.crawler ? now.toISOString() : undefined);
  return {
    observedGeneration: generation,
    phase,
    ...(reason === undefined ? {} : { stopReason: reason }),
    pages: row.pages,
    errors: row.errors,
    warnings: row.warnings,
    ...(ended && row.states ? { newFindings: sum(row.states.new), fixedFindings: sum(row.states.fixed) } : {}),
    checks: {
      pending: sumOf(row.checks, "pending"),
      checked: sumOf(row.checks, "checked"),
      failed: sumOf(row.checks, "failed"),
    },
    runs,
    ...(startTime === undefined ? {} : { startTime }),
    ...(ended ? { completionTime: (row.completedAt ?? now).toISOString() } : {}),
    conditions: setConditions(
      previous.conditions ?? [],
      [
        crawled(row, phase),
        comparing ? COMPARING : complete(row, phase, reason),
        failed(row, phase, reason),
        covered(row, ended),
        ...passed(resource, row, ended),
        ...podsHealthy(previous.conditions ?? [], trouble),
      ],
      generation,
      now,
    ),
  };
}

function crawled(row: ReportProgress, phase: ReportPhase): ConditionUpdate {
  const type = "Crawled";
  if (wasCutShort(row)) return { type, status: "True", reason: "CrawlCutShort", message: failureSentence(row) };
  if (row.crawlState === "ended")
    return { type, status: "True", reason: "CrawlEnded", message: foundSentence(row.pages) };
  if (row.crawlState === "failed")
    return { type, status: "False", reason: "CrawlFailed", message: failureSentence(row) };
  if (phase === "Pending")
    return {
      type,
      status: "False",
      reason: "WaitingForCapacity",
      message: "The report waits for capacity: other reports have to end first.",
    };
  return { type, status: "False", reason: "Crawling", message: "The site is being crawled." };
}

function complete(row: ReportProgress, phase: ReportPhase, stopReason: string | undefined): ConditionUpdate {
  const type = "Complete";
  if (phase === "Complete") {
    return { type, status: "True", reason: stopReason ?? "ReportComplete", message: completeSentence(row, stopReason) };
  }
  if (phase === "Failed") return { type, status: "False", reason: "ReportFailed", message: failureSentence(row) };
  return { type, status: "False", reason: "InProgress", message: "The report has not ended." };
}

const COMPARING: ConditionUpdate = {
  type: "Complete",
  status: "False",
  reason: "Comparing",
  message: "Every page was processed; the report is being compared with the one before it.",
};

function failed(row: ReportProgress, phase: ReportPhase, stopReason: string | undefined): ConditionUpdate {
  const type = "Failed";
  if (phase === "Failed")
    return { type, status: "True", reason: stopReason ?? "ReportFailed", message: failureSentence(row) };
  return { type, status: "False", reason: "NoFailure", message: "The report has not failed." };
}

/** Whether its result leaves nothing of the site out. */
function covered({ coverage }: ReportProgress, ended: boolean): ConditionUpdate {
  const type = "Covered";
  if (!ended || !coverage)
    return { type, status: "Unknown", reason: "InProgress", message: "The report has not ended." };
  const message = gapsSentence(coverage);
  if (message === undefined)
    return { type, status: "True", reason: "NothingLeftOut", message: "Nothing of the site was left out." };
  return { type, status: "False", reason: "GapsFound", message };
}

/** Set only for a report with a gate. */
function passed({ spec }: ReportResource, { gate }: ReportProgress, ended: boolean): ConditionUpdate[] {
  const type = "Passed";
  if (!hasConditions(spec.gate)) return [];
  if (!ended || !gate) return [{ type, status: "Unknown", reason: "InProgress", message: "The report has not ended." }];
  const message = `${gate.results.map(describeResult).join("; ")}.`;
  if (!gate.passed) return [{ type, status: "False", reason: failedGateReason(gate.results), message }];
  const isJudged = gate.results.some((result) => result.passed !== null);
  return [{ type, status: "True", reason: isJudged ? "GatePassed" : "NothingToCompareWith", message }];
}

function failedGateReason(results: readonly GateResult[]): string {
  if (results.some((result) => result.passed === false)) return "GateFailed";
  return results.some(({ reason }) => reason === "nothing_checked") ? "NothingChecked" : "NotCompared";
}

function sum({ errors, warnings }: { errors: number; warnings: number }): number {
  return errors + warnings;
}

/** Set only if the pods have or had a problem. */
function podsHealthy(previous: readonly Condition[], trouble: PodProblem | undefined): ConditionUpdate[] {
  const type = "PodsHealthy";
  if (trouble) return [{ type, status: "False", ...trouble }];
  if (!previous.some((condition) => condition.type === type)) return [];
  return [{ type, status: "True", reason: "PodsRecovered", message: "The report's pods are working." }];
}

/** Failures of a report that end its crawl before it is over. */
const endsCrawl: ReadonlySet<string> = new Set<FailureCode>(["crawler_crashed", "deadline_exceeded", "cancelled"]);

function foundSentence(pages: number): string {
  return `${plural(pages, "page")} ${pages === 1 ? "was" : "were"} found.`;
}

/** True for a report with pages whose crawl was given up (abandonCrawl): it has results, but not of the whole site. */
export function wasCutShort({ crawlState, failureCode }: ReportProgress): boolean {
  return crawlState === "ended" && failureCode !== null && endsCrawl.has(failureCode);
}

function completeSentence(row: ReportProgress, stopReason: string | undefined): string {
  if (wasCutShort(row)) return failureSentence(row);
  if (stopReason) return "The report ended early; see stopReason.";
  const failed = sumOf(row.checks, "failed");
  if (failed === 0) return "Every page was checked.";
  return `Every page was processed; ${plural(failed, "check")} had no result; see the failure of each page.`;
}

function failureSentence(row: ReportProgress): string {
  return row.failureDetail ?? "No page could be checked.";
}

/** `not_html` → `NotHtml`. */
function camelCaseReason(code: string | null): string {
  return (code ?? "report_failed").replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase());
}
