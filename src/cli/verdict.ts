import { exitCodes } from "../domain/errors.ts";
import type { Report } from "./documents.ts";
import type { FailedPage } from "./findings.ts";
import type { FailOn } from "./options.ts";

export type Verdict = {
  exitCode: number;
  /** Why nothing could be checked: the report's failure, or the first failed page's reasons. */
  stopped?: string;
};

/**
 * The exit code for a report that has ended. A page that could not be checked counts as an error: a
 * link may be broken, or the page may have issues that nobody sees. Without a single checked page
 * nothing is known about the site, and the exit code is 2.
 */
export function verdict(report: Report, failOn: FailOn, failedPages: readonly FailedPage[]): Verdict {
  const checks = [report.checks.html, report.checks.a11y].filter((check) => check !== null);
  const sum = (of: (check: (typeof checks)[number]) => number) => checks.reduce((total, check) => total + of(check), 0);
  const checked = sum((check) => check.status.checked);
  const failed = sum((check) => check.status.failed);
  const { failure } = report;
  if (report.phase === "Failed" || checked === 0)
    return {
      exitCode: exitCodes.usage,
      stopped: failure ? `${failure.detail} (${failure.code})` : noResult(failedPages),
    };
  // A report that has a result and a failure is not of the whole site.
  const missing = failure ? 1 : 0;
  const errors = sum((check) => check.issues.errors) + failed + sum((check) => check.status.pending) + missing;
  const warnings = sum((check) => check.issues.warnings);
  const found = { error: errors > 0, warning: errors + warnings > 0, never: false }[failOn];
  return { exitCode: found ? exitCodes.failed : exitCodes.ok };
}

/** The crawl found pages, but no engine could check any: gives the reasons of the first page. */
function noResult([first]: readonly FailedPage[]): string {
  return first ? `No page could be checked. ${first.url}: ${first.reasons.join(" ")}` : "No page could be checked.";
}
