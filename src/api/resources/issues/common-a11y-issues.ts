import {
  type CommonA11yIssueRow,
  findCommonA11yIssue,
  listCommonA11yIssues,
} from "../../../database/reports/common-issues.ts";
import { issueSortKeys } from "../../../database/reports/issue-query.ts";
import { ownStates } from "../../../domain/findings/finding-state.ts";
import { standardsOf } from "../../../domain/findings/standards.ts";
import { successCriteriaOf } from "../../../domain/findings/success-criteria.ts";
import type { Guides } from "../../../domain/guides/guides.ts";
import type { Context } from "../../context.ts";
import type { Resource } from "../../documents.ts";
import { guideAttributes } from "../../guides/guide-attributes.ts";
import { mutedIn } from "../../http/request/query.ts";
import { related, timestamp } from "../../http/response/documents.ts";
import { comparedAttributes } from "../findings/compared-attributes.ts";
import { reportUrl, visibleReport } from "../reports/report-access.ts";
import { issueRoutes } from "./issue-routes.ts";

export const commonA11yIssues = issueRoutes({
  path: "/reports/:report_id/common_a11y_issues",
  idParameter: "common_a11y_issue_id",
  name: "common accessibility issue",
  textFilter: "filter[help]",
  sortKeys: issueSortKeys.commonA11y,
  owner: async (context) => (await visibleReport(context)).report.id,
  list: listCommonA11yIssues,
  find: findCommonA11yIssue,
  document: commonA11yIssueDocument,
});

function commonA11yIssueDocument(
  context: Context,
  issue: CommonA11yIssueRow,
  guides: Guides,
): Resource<"common_a11y_issue"> {
  const pages = `${reportUrl(context, issue.report_id)}/web_pages`;
  const filter = {
    "filter[common_a11y_issue_id]": issue.id,
    ...(mutedIn(context.query) && { "filter[muted]": "true" }),
  };
  return {
    id: issue.id,
    type: "common_a11y_issue",
    attributes: {
      report_id: issue.report_id,
      rule: issue.rule_id,
      help: issue.help,
      help_url: issue.help_url,
      how_many: issue.how_many,
      impact: issue.impact,
      impact_order: issue.impact_order,
      review: issue.review,
      outside_standard: issue.outside_standard,
      tags: issue.tags,
      success_criteria: successCriteriaOf(issue.tags),
      standards: standardsOf(issue.tags),
      num_pages: issue.num_pages,
      ...comparedAttributes(issue, ownStates),
      ...guideAttributes(context, guides, "a11y", issue.rule_id),
      inserted_at: timestamp(issue.inserted_at),
      updated_at: timestamp(issue.updated_at),
    },
    relationships: related({
      web_pages: `${pages}?${new URLSearchParams(filter)}`,
    }),
  };
}
