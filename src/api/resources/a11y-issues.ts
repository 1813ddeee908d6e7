import { type A11yIssueRow, findA11yIssue, listA11yIssues } from "../../database/issues.ts";
import type { Context, Route } from "../context.ts";
import { list, noGuide, one, type ResourceDocument, related, timestamp } from "../documents.ts";
import { notFound } from "../errors.ts";
import { issueParameters, issueQuery } from "../issue-query.ts";
import { isNumericId } from "../query.ts";
import { pageUrl, reportUrl, visiblePage } from "../report-access.ts";

const TEXT_FILTER = "filter[help]";

export const a11yIssues: readonly Route[] = [
  {
    method: "GET",
    path: "/reports/:report_id/web_pages/:web_page_id/a11y_issues",
    access: "shared",
    parameters: issueParameters(TEXT_FILTER),
    handle: async (context) => {
      const page = await visiblePage(context);
      const query = issueQuery(context.query, TEXT_FILTER);
      const listed = await listA11yIssues(context.deps.db, page.id, query);
      return list(context, query.page, listed, (issue) => a11yIssueDocument(context, issue));
    },
  },
  {
    method: "GET",
    path: "/reports/:report_id/web_pages/:web_page_id/a11y_issues/:a11y_issue_id",
    access: "shared",
    handle: async (context) => {
      const page = await visiblePage(context);
      const id = context.params.a11y_issue_id ?? "";
      const issue = isNumericId(id) ? await findA11yIssue(context.deps.db, page.id, id) : undefined;
      if (!issue) throw notFound("accessibility issue");
      return one(a11yIssueDocument(context, issue));
    },
  },
];

function a11yIssueDocument(context: Context, issue: A11yIssueRow): ResourceDocument {
  return {
    id: issue.id,
    type: "a11y_issue",
    attributes: {
      help: issue.help,
      help_url: issue.help_url,
      impact: issue.impact,
      impact_order: issue.impact_order,
      review: issue.review,
      html: issue.html,
      how_many: issue.how_many,
      tags: issue.tags,
      ...noGuide,
      inserted_at: timestamp(issue.inserted_at),
      updated_at: timestamp(issue.updated_at),
    },
    relationships: related({
      report: reportUrl(context, issue.report_id),
      web_page: pageUrl(context, issue),
    }),
  };
}
