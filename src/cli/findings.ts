import type { Client } from "./client.ts";
import type { CommonA11yIssue, CommonHtmlIssue, CommonIssue, Report, WebPage } from "./documents.ts";

/** Number of pages listed for each issue; the others are only counted. */
const MAX_PAGES_SHOWN = 3;

/** A kind of issue, the URLs of the first pages that have it, and the number of all these pages. */
export type IssueOnPages = { issue: CommonIssue; urls: string[]; pages: number };
export type FailedPage = { url: string; reasons: string[] };

/** All kinds of issues of a report: first HTML, then accessibility, each in the API's order. */
export async function commonIssues(client: Client, id: string, report: Report): Promise<CommonIssue[]> {
  const html = report.checks.html ? await client.all<CommonHtmlIssue>(`/reports/${id}/common_html_issues`) : [];
  const a11y = report.checks.a11y ? await client.all<CommonA11yIssue>(`/reports/${id}/common_a11y_issues`) : [];
  return [...html, ...a11y];
}

/** Adds to each kind of issue the first pages that have it, and the number of pages. */
export async function withPages(client: Client, id: string, issues: CommonIssue[]): Promise<IssueOnPages[]> {
  const found: IssueOnPages[] = [];
  for (const issue of issues) {
    const query = new URLSearchParams({ [`filter[${issue.type}_id]`]: issue.id });
    const { data, total } = await client.first<WebPage>(`/reports/${id}/web_pages?${query}`, MAX_PAGES_SHOWN);
    found.push({ issue, urls: data.map((page) => page.attributes.url), pages: total });
  }
  return found;
}

/** The pages that could not be checked, with the reasons. */
export async function failedPages(client: Client, id: string, report: Report): Promise<FailedPage[]> {
  const { html, a11y } = report.checks;
  if ((html?.status.failed ?? 0) + (a11y?.status.failed ?? 0) === 0) return [];
  const pages = await client.all<WebPage>(`/reports/${id}/web_pages`);
  return pages.flatMap(({ attributes: { url, html_check, a11y_check } }) => {
    const failures = [html_check, a11y_check].flatMap((check) =>
      check?.status === "failed"
        ? [check.failure ? `${check.failure.detail} (${check.failure.code})` : "unknown reason"]
        : [],
    );
    // Both checks of a page that could not be fetched fail for the same reason.
    return failures.length > 0 ? [{ url, reasons: [...new Set(failures)] }] : [];
  });
}
