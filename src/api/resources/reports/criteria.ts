import { checkKinds } from "../../../checks/kinds.ts";
import { readCriteria } from "../../../database/reports/criteria.ts";
import {
  type CriterionState,
  criterionSortKeys,
  criterionStates,
  type JudgedCriterion,
  judgeCriteria,
} from "../../../domain/findings/judged-criteria.ts";
import { understandingUrl } from "../../../domain/findings/success-criteria.ts";
import type { Context, Route } from "../../context.ts";
import type { Resource } from "../../documents.ts";
import { pageParameters, sortParameter, stateParameter } from "../../http/request/parameters.ts";
import { list, related } from "../../http/response/documents.ts";
import { reportUrl, visibleReport } from "./report-access.ts";

/** The success criteria of a report's standard, and what its checks say of each. */
export const criteria: readonly Route[] = [
  {
    method: "GET",
    path: "/reports/:report_id/criteria",
    id: "listCriteria",
    tag: "Issues",
    summary: "List the success criteria of a report's standard",
    description:
      "What the checks say of each success criterion of WCAG that the standard asks for; of a report with the standard all, of each criterion of WCAG 2.2. Programs judge some of them, and none completely.",
    success: { kind: "list", type: "criterion" },
    access: "shared",
    site: "report",
    parameters: [
      stateParameter("Criteria in this state.", Object.keys(criterionStates)),
      sortParameter("The sort order. Ties are sorted by the number.", criterionSortKeys, "number-asc"),
      ...pageParameters,
    ],
    handle: async (context) => {
      const { deps, query } = context;
      const page = query.page();
      const state = query.choice("filter[state]", Object.keys(criterionStates) as CriterionState[]);
      const { key, direction } = query.sort(criterionSortKeys) ?? { key: "number", direction: "asc" };
      const { report } = await visibleReport(context);
      const checked = checkKinds.filter((kind) => report.counts[kind].checked > 0);
      const judged = judgeCriteria(report.spec, checked, await readCriteria(deps.db, report.id)).filter(
        (criterion) => state === undefined || criterion.state === state,
      );
      // In the order of WCAG, which is that of the numbers.
      const ascending = key === "errors" ? judged.toReversed().toSorted((a, b) => a.errors - b.errors) : judged;
      const ordered = direction === "asc" ? ascending : ascending.toReversed();
      const listed = { rows: ordered.slice(page.offset, page.offset + page.limit), total: ordered.length };
      return list(context, page, listed, (criterion) => criterionDocument(context, report.id, criterion));
    },
  },
];

function criterionDocument(context: Context, reportId: string, criterion: JudgedCriterion): Resource<"criterion"> {
  const { number, title, level, since, state, errors, warnings } = criterion;
  const report = reportUrl(context, reportId);
  const tag = new URLSearchParams({ "filter[tags][list]": `wcag${number.replaceAll(".", "")}` });
  return {
    id: number,
    type: "criterion",
    attributes: { number, title, level, since, state, errors, warnings, url: understandingUrl(criterion) },
    relationships: related({
      report,
      common_html_issues: `${report}/common_html_issues?${tag}`,
      common_a11y_issues: `${report}/common_a11y_issues?${tag}`,
    }),
  };
}
