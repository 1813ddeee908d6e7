import { type CommonIssueRow, issueSortKeys } from "../../../database/reports/issues.ts";
import { ownStates } from "../../../domain/findings/finding-state.ts";
import type { Guides } from "../../../domain/guides/guides.ts";
import type { Context } from "../../context.ts";
import type { Resource } from "../../documents.ts";
import { guideAttributes } from "../../guides/guide-attributes.ts";
import { mutedIn } from "../../http/request/query.ts";
import { related, timestamp } from "../../http/response/documents.ts";
import { comparedAttributes } from "../findings/compared-attributes.ts";
import { reportUrl } from "../reports/report-access.ts";
import { a11yAttributes } from "./a11y-issues.ts";
import { issueRoutes, ofReport } from "./issue-routes.ts";

export const commonA11yIssues = issueRoutes({
  path: "/reports/:report_id/common_a11y_issues",
  idParameter: "common_a11y_issue_id",
  name: "common accessibility issue",
  textFilter: "filter[help]",
  sortKeys: issueSortKeys.commonA11y,
  ...ofReport("a11y"),
  document: commonA11yIssueDocument,
});

function commonA11yIssueDocument(
  context: Context,
  issue: CommonIssueRow,
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
      ...a11yAttributes(issue),
      how_many: issue.how_many,
      num_pages: issue.num_pages,
      ...comparedAttributes(issue, ownStates),
      ...guideAttributes(context, guides, "a11y", issue.rule),
      inserted_at: timestamp(issue.inserted_at),
      updated_at: timestamp(issue.updated_at),
    },
    relationships: related({
      web_pages: `${pages}?${new URLSearchParams(filter)}`,
    }),
  };
}
