import { type CommonIssueRow, type IssueRow, issueSortKeys } from "../../../database/reports/issues.ts";
import type { StoredElement } from "../../../database/tables.ts";
import { ownStates } from "../../../domain/findings/finding-state.ts";
import { type A11yElement, impactOf } from "../../../domain/findings/findings.ts";
import { standardsOf } from "../../../domain/findings/standards.ts";
import { successCriteriaOf } from "../../../domain/findings/success-criteria.ts";
import type { Guides } from "../../../domain/guides/guides.ts";
import type { Context } from "../../context.ts";
import type { Resource } from "../../documents.ts";
import { guideAttributes } from "../../guides/guide-attributes.ts";
import { related, timestamp } from "../../http/response/documents.ts";
import { comparedAttributes } from "../findings/compared-attributes.ts";
import { pageUrl, reportUrl } from "../reports/report-access.ts";
import { issueRoutes, ofPage } from "./issue-routes.ts";

export const a11yIssues = issueRoutes({
  path: "/reports/:report_id/web_pages/:web_page_id/a11y_issues",
  idParameter: "a11y_issue_id",
  name: "accessibility issue",
  textFilter: "filter[help]",
  sortKeys: issueSortKeys.a11y,
  ...ofPage("a11y"),
  document: a11yIssueDocument,
});

function a11yIssueDocument(context: Context, issue: IssueRow, guides: Guides): Resource<"a11y_issue"> {
  return {
    id: issue.id,
    type: "a11y_issue",
    attributes: {
      ...a11yAttributes(issue),
      html: (issue.html as StoredElement<A11yElement>[]).map((element) => ({ ...element, box: element.box ?? null })),
      how_many: issue.how_many,
      html_truncated: issue.html.length < issue.how_many,
      ...comparedAttributes(issue, ownStates),
      ...guideAttributes(context, guides, "a11y", issue.rule),
      inserted_at: timestamp(issue.inserted_at),
      updated_at: timestamp(issue.updated_at),
    },
    relationships: related({
      report: reportUrl(context, issue.report_id),
      web_page: pageUrl(context, issue),
    }),
  };
}

/**
 * What an accessibility issue and a common one have under the names of the API. One that only counts what is not listed
 * has no impact.
 */
export function a11yAttributes(issue: IssueRow | CommonIssueRow) {
  const { rule, message, help_url, impact_order, issue_type, outside_standard, tags } = issue;
  const order = impact_order ?? 1;
  return {
    rule: rule ?? "",
    help: message,
    help_url: help_url ?? "",
    impact: impactOf(order) ?? "minor",
    impact_order: order,
    review: issue_type === "warning",
    outside_standard,
    tags,
    success_criteria: successCriteriaOf(tags),
    standards: standardsOf(tags),
  };
}
