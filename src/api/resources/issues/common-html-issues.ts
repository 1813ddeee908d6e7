import { type CommonIssueRow, issueSortKeys } from "../../../database/reports/issues.ts";
import { ownStates } from "../../../domain/findings/finding-state.ts";
import type { Guides } from "../../../domain/guides/guides.ts";
import type { Context } from "../../context.ts";
import type { Resource } from "../../documents.ts";
import { guideAttributes } from "../../guides/guide-attributes.ts";
import { mutedIn } from "../../http/request/query.ts";
import { related } from "../../http/response/documents.ts";
import { comparedAttributes } from "../findings/compared-attributes.ts";
import { reportUrl } from "../reports/report-access.ts";
import { issueRoutes, ofReport } from "./issue-routes.ts";

export const commonHtmlIssues = issueRoutes({
  path: "/reports/:report_id/common_html_issues",
  idParameter: "common_html_issue_id",
  name: "common HTML issue",
  textFilter: "filter[message]",
  sortKeys: issueSortKeys.commonHtml,
  ...ofReport("html"),
  document: commonHtmlIssueDocument,
});

function commonHtmlIssueDocument(
  context: Context,
  issue: CommonIssueRow,
  guides: Guides,
): Resource<"common_html_issue"> {
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
      issue_sub_type: issue.rule,
      rule: issue.rule,
      message: issue.message,
      help_url: issue.help_url,
      tags: issue.tags,
      how_many: issue.how_many,
      num_pages: issue.num_pages,
      ...comparedAttributes(issue, ownStates),
      ...guideAttributes(context, guides, "html", issue.rule),
    },
    relationships: related({
      web_pages: `${pages}?${new URLSearchParams(filter)}`,
    }),
  };
}
