import { impactOrder } from "../domain/findings.ts";
import type { CommonIssue, Report } from "./documents.ts";
import type { FailedPage, IssueOnPages } from "./findings.ts";
import { table } from "./table.ts";
import type { Verdict } from "./verdict.ts";

const MAX_FAILED_SHOWN = 20;

type Row = { kind: "error" | "warning"; check: string; order: number; message: string; count: number };

/**
 * The result as text for people: the issues, their pages and their number. Empty when nothing could be
 * checked and `verdict.stopped` is the only reason.
 */
export function resultText(report: Report, issues: IssueOnPages[], failed: FailedPage[], verdict: Verdict): string {
  const parts: string[] = [];
  if (!verdict.stopped) parts.push(headline(report));
  if (issues.length > 0) parts.push(issueTable(issues));
  if (failed.length > (verdict.stopped ? 1 : 0)) parts.push(failedList(failed));
  if (!verdict.stopped) {
    if (report.failure) parts.push(visible(`${report.failure.detail} (${report.failure.code})`));
    if (issues.length === 0 && failed.length === 0) parts.push("No issues found.");
    if (report.max_pages > 0 && report.num_pages >= report.max_pages)
      parts.push(`Stopped at ${pages(report.max_pages)}: --max-pages sets the limit, 0 is no limit.`);
  }
  return parts.length === 0 ? "" : `${parts.join("\n\n")}\n`;
}

function headline(report: Report): string {
  const counts = (["html", "a11y"] as const).flatMap((kind) => {
    const check = report.checks[kind];
    if (!check) return [];
    const { errors, warnings } = check.issues;
    return [
      `${kind === "html" ? "HTML" : "accessibility"}: ${plural(errors, "error")}, ${plural(warnings, "warning")}`,
    ];
  });
  return [visible(report.starting_url), pages(report.num_pages), ...counts].join(" · ");
}

function issueTable(issues: IssueOnPages[]): string {
  const rows = issues
    .map((found) => ({ ...found, row: describe(found.issue) }))
    .sort(
      (a, b) =>
        Number(b.row.kind === "error") - Number(a.row.kind === "error") ||
        b.row.order - a.row.order ||
        b.row.count - a.row.count,
    );
  return table(
    ["TYPE", "COUNT", "CHECK", "MESSAGE"],
    rows.map(({ row, urls, pages: total }) => ({
      cells: [row.kind, String(row.count), row.check, visible(row.message)],
      details: [...urls.map(visible), ...(total > urls.length ? [`and ${total - urls.length} more`] : [])],
    })),
    { right: [1] },
  );
}

function describe(issue: CommonIssue): Row {
  if (issue.type === "common_html_issue") {
    const { issue_type, message, how_many } = issue.attributes;
    return { kind: issue_type, check: "html", order: 0, message, count: how_many };
  }
  const { review, impact, help, how_many } = issue.attributes;
  return {
    kind: review ? "warning" : "error",
    check: `a11y ${impact}`,
    order: impactOrder(impact),
    message: review ? `${help} (to be reviewed)` : help,
    count: how_many,
  };
}

function failedList(failed: FailedPage[]): string {
  const lines = failed
    .slice(0, MAX_FAILED_SHOWN)
    .flatMap(({ url, reasons }) => [`  ${visible(url)}`, ...reasons.map((reason) => `    ${visible(reason)}`)]);
  if (failed.length > MAX_FAILED_SHOWN) lines.push(`  and ${failed.length - MAX_FAILED_SHOWN} more`);
  return [`Could not be checked: ${pages(failed.length)}`, ...lines].join("\n");
}

/** Makes text of a site safe for a terminal: replaces control characters and those that change the text's direction. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "\uFFFD");
}

function pages(number: number): string {
  return plural(number, "page");
}

function plural(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
