import { type IssueRow, issueSortKeys } from "../../../database/reports/issues.ts";
import type { StoredElement } from "../../../database/tables.ts";
import { ownStates } from "../../../domain/findings/finding-state.ts";
import type { HtmlElement } from "../../../domain/findings/findings.ts";
import type { Guides } from "../../../domain/guides/guides.ts";
import type { Context } from "../../context.ts";
import type { Resource } from "../../documents.ts";
import { guideAttributes } from "../../guides/guide-attributes.ts";
import { related, timestamp } from "../../http/response/documents.ts";
import { comparedAttributes } from "../findings/compared-attributes.ts";
import { pageUrl, reportUrl } from "../reports/report-access.ts";
import { issueRoutes, ofPage } from "./issue-routes.ts";

export const htmlIssues = issueRoutes({
  path: "/reports/:report_id/web_pages/:web_page_id/html_issues",
  idParameter: "html_issue_id",
  name: "HTML issue",
  textFilter: "filter[message]",
  sortKeys: issueSortKeys.html,
  ...ofPage("html"),
  document: htmlIssueDocument,
});

function htmlIssueDocument(context: Context, issue: IssueRow, guides: Guides): Resource<"html_issue"> {
  return {
    id: issue.id,
    type: "html_issue",
    attributes: {
      issue_type: issue.issue_type,
      issue_sub_type: issue.rule,
      rule: issue.rule,
      message: issue.message,
      help_url: issue.help_url,
      html: issue.html as StoredElement<HtmlElement>[],
      how_many: issue.how_many,
      html_truncated: issue.html.length < issue.how_many,
      tags: issue.tags,
      ...comparedAttributes(issue, ownStates),
      ...guideAttributes(context, guides, "html", issue.rule),
      inserted_at: timestamp(issue.inserted_at),
      updated_at: timestamp(issue.updated_at),
    },
    relationships: related({
      report: reportUrl(context, issue.report_id),
      web_page: pageUrl(context, issue),
    }),
  };
}
