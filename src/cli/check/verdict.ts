import type { Attributes } from "../../api/documents.ts";
import { exitCodes } from "../../domain/errors.ts";
import type { Baseline } from "../../domain/findings/baseline.ts";
import { pageKey } from "../../domain/identity/page-key.ts";
import type { FailedPage } from "./failed-pages.ts";
import type { FailOn } from "./options/options-schema.ts";

/** What the command needs of a report that has ended. */
export type CheckedReport = Pick<
  Attributes<"report">,
  | ("starting_url" | "same_site" | "standard" | "num_pages" | "phase" | "failure")
  | ("checks" | "comparison" | "coverage" | "passed" | "gate_results")
>;

export type Verdict = {
  exitCode: number;
  /** Why nothing could be checked: the report's failure, or the first failed page's reasons. */
  stopped?: string;
};

/**
 * The exit code for a report that has ended, by `failOn` and by its gate. For `failOn`, a page that could not be
 * checked counts as an error: a link may be broken, or the page may have unknown issues. With a baseline, only what
 * is new counts. Without a single checked page, nothing is known about the site, and the exit code is 2.
 *
 * @param known the baseline that the report is compared with, if there is one
 */
export function verdict(
  report: CheckedReport,
  failOn: FailOn,
  failedPages: readonly FailedPage[],
  known?: Pick<Baseline, "failures">,
): Verdict {
  const { failure, comparison } = report;
  const checks = Object.values(report.checks).filter((check) => check !== null);
  const sum = (of: (check: (typeof checks)[number]) => number) => checks.reduce((total, check) => total + of(check), 0);
  if (report.phase === "Failed" || sum((check) => check.status.checked) === 0)
    return {
      exitCode: exitCodes.usage,
      stopped: failure ? `${failure.detail} (${failure.code})` : noResult(failedPages),
    };
  if (known && !comparison)
    return { exitCode: exitCodes.usage, stopped: "It could not be compared with the baseline." };
  const counted =
    known && comparison
      ? { ...comparison.states.new, failed: newFailures(failedPages, known, report).length }
      : {
          errors: sum((check) => check.issues.errors),
          warnings: sum((check) => check.issues.warnings),
          failed: sum((check) => check.status.failed),
        };
  // A report with results and a failure does not cover the whole site.
  const missing = sum((check) => check.status.pending) + (failure ? 1 : 0);
  const errors = counted.errors + counted.failed + missing;
  const found = { error: errors > 0, warning: errors + counted.warnings > 0, never: false }[failOn];
  return { exitCode: found || report.passed === false ? exitCodes.failed : exitCodes.ok };
}

/** The pages that could not be checked, except those that failed for the same reason before. */
export function newFailures(
  failedPages: readonly FailedPage[],
  { failures }: Pick<Baseline, "failures">,
  { starting_url: startingUrl, same_site: sameSite }: Pick<CheckedReport, "starting_url" | "same_site">,
): readonly FailedPage[] {
  const known = new Set(failures.map(({ page, failure }) => `${page} ${failure}`));
  return failedPages.filter(
    ({ url, codes }) => !codes.every((code) => known.has(`${pageKey(url, { startingUrl, sameSite })} ${code}`)),
  );
}

/** The crawl found pages, but no engine could check any: gives the reasons of the first page. */
function noResult([first]: readonly FailedPage[]): string {
  return first ? `No page could be checked. ${first.url}: ${first.reasons.join(" ")}` : "No page could be checked.";
}
