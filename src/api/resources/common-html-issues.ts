import { type CommonHtmlIssueRow, findCommonHtmlIssue, listCommonHtmlIssues } from "../../database/issues.ts";
import type { Context, Route } from "../context.ts";
import { list, noGuide, one, type ResourceDocument, related } from "../documents.ts";
import { notFound } from "../errors.ts";
import { issueParameters, issueQuery } from "../issue-query.ts";
import { isNumericId } from "../query.ts";
import { reportUrl, visibleReport } from "../report-access.ts";

const TEXT_FILTER = "filter[message]";

export const commonHtmlIssues: readonly Route[] = [
  {
    method: "GET",
    path: "/reports/:report_id/common_html_issues",
    access: "shared",
    parameters: issueParameters(TEXT_FILTER),
    handle: async (context) => {
      const { report } = await visibleReport(context);
      const query = issueQuery(context.query, TEXT_FILTER);
      const listed = await listCommonHtmlIssues(context.deps.db, report.id, query);
      return list(context, query.page, listed, (issue) => commonHtmlIssueDocument(context, issue));
    },
  },
  {
    method: "GET",
    path: "/reports/:report_id/common_html_issues/:common_html_issue_id",
    access: "shared",
    handle: async (context) => {
      const { report } = await visibleReport(context);
      const id = context.params.common_html_issue_id ?? "";
      const issue = isNumericId(id) ? await findCommonHtmlIssue(context.deps.db, report.id, id) : undefined;
      if (!issue) throw notFound("common HTML issue");
      return one(commonHtmlIssueDocument(context, issue));
    },
  },
];

function commonHtmlIssueDocument(context: Context, issue: CommonHtmlIssueRow): ResourceDocument {
  const pages = `${reportUrl(context, issue.report_id)}/web_pages`;
  return {
    id: issue.id,
    type: "common_html_issue",
    attributes: {
      report_id: issue.report_id,
      issue_type: issue.issue_type,
      issue_sub_type: issue.issue_sub_type,
      message: issue.message,
      tags: issue.tags,
      how_many: issue.how_many,
      ...noGuide,
    },
    relationships: related({
      web_pages: `${pages}?${new URLSearchParams({ "filter[common_html_issue_id]": issue.id })}`,
    }),
  };
}
