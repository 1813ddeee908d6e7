import { type CheckCounts, sumOf } from "./findings/check-counts.ts";
import type { CheckKind } from "./findings/findings.ts";

/** How far a report's crawl is. */
export type CrawlState = "pending" | "crawling" | "ended" | "failed";

/** True when no page is added any more. */
export function isCrawlOver(state: CrawlState): boolean {
  return state === "ended" || state === "failed";
}

/** True for a report with nothing left to do but to be compared and to end, which may take minutes. */
export function isReportOver(state: CrawlState, checks: Record<CheckKind, Pick<CheckCounts, "pending">>): boolean {
  return isCrawlOver(state) && sumOf(checks, "pending") === 0;
}
