import { type CommonA11yIssueRow, findCommonA11yIssue, listCommonA11yIssues } from "../../database/issues.ts";
import type { Context, Route } from "../context.ts";
import { list, noGuide, one, type ResourceDocument, related, timestamp } from "../documents.ts";
import { notFound } from "../errors.ts";
import { issueParameters, issueQuery } from "../issue-query.ts";
import { isNumericId } from "../query.ts";
import { reportUrl, visibleReport } from "../report-access.ts";

const TEXT_FILTER = "filter[help]";

export const commonA11yIssues: readonly Route[] = [
  {
    method: "GET",
    path: "/reports/:report_id/common_a11y_issues",
    access: "shared",
    parameters: issueParameters(TEXT_FILTER),
    handle: async (context) => {
      const { report } = await visibleReport(context);
      const query = issueQuery(context.query, TEXT_FILTER);
      const listed = await listCommonA11yIssues(context.deps.db, report.id, query);
      return list(context, query.page, listed, (issue) => commonA11yIssueDocument(context, issue));
    },
  },
  {
    method: "GET",
    path: "/reports/:report_id/common_a11y_issues/:common_a11y_issue_id",
    access: "shared",
    handle: async (context) => {
      const { report } = await visibleReport(context);
      const id = context.params.common_a11y_issue_id ?? "";
      const issue = isNumericId(id) ? await findCommonA11yIssue(context.deps.db, report.id, id) : undefined;
      if (!issue) throw notFound("common accessibility issue");
      return one(commonA11yIssueDocument(context, issue));
    },
  },
];

function commonA11yIssueDocument(context: Context, issue: CommonA11yIssueRow): ResourceDocument {
  const pages = `${reportUrl(context, issue.report_id)}/web_pages`;
  return {
    id: issue.id,
    type: "common_a11y_issue",
    attributes: {
      report_id: issue.report_id,
      help: issue.help,
      help_url: issue.help_url,
      how_many: issue.how_many,
      impact: issue.impact,
      impact_order: issue.impact_order,
      review: issue.review,
      tags: issue.tags,
      ...noGuide,
      inserted_at: timestamp(issue.inserted_at),
      updated_at: timestamp(issue.updated_at),
    },
    relationships: related({
      web_pages: `${pages}?${new URLSearchParams({ "filter[common_a11y_issue_id]": issue.id })}`,
    }),
  };
}
