import { issueSortKeys } from "../../../database/reports/issue-query.ts";
import { type A11yIssueRow, findA11yIssue, listA11yIssues } from "../../../database/reports/issues.ts";
import { ownStates } from "../../../domain/findings/finding-state.ts";
import { standardsOf } from "../../../domain/findings/standards.ts";
import { successCriteriaOf } from "../../../domain/findings/success-criteria.ts";
import type { Guides } from "../../../domain/guides/guides.ts";
import type { Context } from "../../context.ts";
import type { Resource } from "../../documents.ts";
import { guideAttributes } from "../../guides/guide-attributes.ts";
import { related, timestamp } from "../../http/response/documents.ts";
import { comparedAttributes } from "../findings/compared-attributes.ts";
import { pageUrl, reportUrl, visiblePage } from "../reports/report-access.ts";
import { issueRoutes } from "./issue-routes.ts";

export const a11yIssues = issueRoutes({
  path: "/reports/:report_id/web_pages/:web_page_id/a11y_issues",
  idParameter: "a11y_issue_id",
  name: "accessibility issue",
  textFilter: "filter[help]",
  sortKeys: issueSortKeys.a11y,
  owner: async (context) => (await visiblePage(context)).id,
  list: listA11yIssues,
  find: findA11yIssue,
  document: a11yIssueDocument,
});

function a11yIssueDocument(context: Context, issue: A11yIssueRow, guides: Guides): Resource<"a11y_issue"> {
  return {
    id: issue.id,
    type: "a11y_issue",
    attributes: {
      rule: issue.rule_id,
      help: issue.help,
      help_url: issue.help_url,
      impact: issue.impact,
      impact_order: issue.impact_order,
      review: issue.review,
      outside_standard: issue.outside_standard,
      html: issue.html.map((element) => ({ ...element, box: element.box ?? null })),
      how_many: issue.how_many,
      html_truncated: issue.html.length < issue.how_many,
      tags: issue.tags,
      success_criteria: successCriteriaOf(issue.tags),
      standards: standardsOf(issue.tags),
      ...comparedAttributes(issue, ownStates),
      ...guideAttributes(context, guides, "a11y", issue.rule_id),
      inserted_at: timestamp(issue.inserted_at),
      updated_at: timestamp(issue.updated_at),
    },
    relationships: related({
      report: reportUrl(context, issue.report_id),
      web_page: pageUrl(context, issue),
    }),
  };
}
