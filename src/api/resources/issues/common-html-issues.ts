import {
  type CommonHtmlIssueRow,
  findCommonHtmlIssue,
  listCommonHtmlIssues,
} from "../../../database/reports/issues.ts";
import type { Context } from "../../context.ts";
import { noGuide, type ResourceDocument, related } from "../../http/documents.ts";
import { mutedIn } from "../../http/query.ts";
import { reportUrl, visibleReport } from "../reports/report-access.ts";
import { issueRoutes } from "./issue-routes.ts";

export const commonHtmlIssues = issueRoutes({
  path: "/reports/:report_id/common_html_issues",
  idParameter: "common_html_issue_id",
  name: "common HTML issue",
  textFilter: "filter[message]",
  owner: async (context) => (await visibleReport(context)).report.id,
  list: listCommonHtmlIssues,
  find: findCommonHtmlIssue,
  countsMuted: true,
  document: commonHtmlIssueDocument,
});

function commonHtmlIssueDocument(context: Context, issue: CommonHtmlIssueRow): ResourceDocument {
  const pages = `${reportUrl(context, issue.report_id)}/web_pages`;
  const filter = {
    "filter[common_html_issue_id]": issue.id,
    ...(mutedIn(context.query) && { "filter[muted]": "true" }),
  };
  return {
    id: issue.id,
    type: "common_html_issue",
    attributes: {
      report_id: issue.report_id,
      issue_type: issue.issue_type,
      issue_sub_type: issue.issue_sub_type,
      rule: issue.issue_sub_type,
      message: issue.message,
      help_url: issue.help_url,
      tags: issue.tags,
      how_many: issue.how_many,
      ...noGuide,
    },
    relationships: related({
      web_pages: `${pages}?${new URLSearchParams(filter)}`,
    }),
  };
}
