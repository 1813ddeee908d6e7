import { findHtmlIssue, type HtmlIssueRow, listHtmlIssues } from "../../database/issues.ts";
import type { Context, Route } from "../context.ts";
import { list, noGuide, one, type ResourceDocument, related, timestamp } from "../documents.ts";
import { notFound } from "../errors.ts";
import { issueParameters, issueQuery } from "../issue-query.ts";
import { isNumericId } from "../query.ts";
import { pageUrl, reportUrl, visiblePage } from "../report-access.ts";

const TEXT_FILTER = "filter[message]";

export const htmlIssues: readonly Route[] = [
  {
    method: "GET",
    path: "/reports/:report_id/web_pages/:web_page_id/html_issues",
    access: "shared",
    parameters: issueParameters(TEXT_FILTER),
    handle: async (context) => {
      const page = await visiblePage(context);
      const query = issueQuery(context.query, TEXT_FILTER);
      const listed = await listHtmlIssues(context.deps.db, page.id, query);
      return list(context, query.page, listed, (issue) => htmlIssueDocument(context, issue));
    },
  },
  {
    method: "GET",
    path: "/reports/:report_id/web_pages/:web_page_id/html_issues/:html_issue_id",
    access: "shared",
    handle: async (context) => {
      const page = await visiblePage(context);
      const id = context.params.html_issue_id ?? "";
      const issue = isNumericId(id) ? await findHtmlIssue(context.deps.db, page.id, id) : undefined;
      if (!issue) throw notFound("HTML issue");
      return one(htmlIssueDocument(context, issue));
    },
  },
];

function htmlIssueDocument(context: Context, issue: HtmlIssueRow): ResourceDocument {
  return {
    id: issue.id,
    type: "html_issue",
    attributes: {
      issue_type: issue.issue_type,
      issue_sub_type: issue.issue_sub_type,
      message: issue.message,
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
