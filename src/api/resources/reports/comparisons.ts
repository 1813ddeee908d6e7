import { type Compared, compareReports, findComparison } from "../../../database/findings/compare.ts";
import { findBase } from "../../../database/findings/find-base.ts";
import { findReport, type ReportRow } from "../../../database/reports/queries.ts";
import { reportAccess } from "../../../domain/accounts/principal.ts";
import { stateTotals } from "../../../domain/findings/finding-state.ts";
import type { Context, Route } from "../../context.ts";
import { one, type ResourceDocument, related } from "../../http/response/documents.ts";
import { notFound } from "../../http/response/errors.ts";
import { reportUrl, visibleReport } from "./report-access.ts";

export const comparisons: readonly Route[] = [
  {
    method: "GET",
    path: "/reports/:report_id/comparison",
    access: "shared",
    parameters: ["base"],
    isHeavy: true,
    handle: async (context) => {
      const { report, owned } = await visibleReport(context);
      const { base, sameAccount } = await baseOf(context, report);
      // Only the owner of both reports can start a comparison. Readers of a shared one get a comparison that exists.
      const compare = owned && sameAccount ? compareReports : findComparison;
      const compared = base === undefined ? undefined : await compare(context.deps.db, report.id, base);
      return one(comparisonDocument(context, report.id, base, compared));
    },
  },
];

/** The report that is named in the request, or the one before this report. @throws RequestError 404 */
async function baseOf(
  context: Context,
  report: Pick<ReportRow, "id" | "account_id">,
): Promise<{ base: string | undefined; sameAccount: boolean }> {
  const { caller, deps, query } = context;
  const named = query.uuid("base");
  if (named === undefined) return { base: await findBase(deps.db, report.id), sameAccount: true };
  const base = await findReport(deps.db, named);
  if (base && reportAccess(base, caller) !== "none")
    return { base: base.id, sameAccount: base.account_id === report.account_id };
  throw notFound("report to compare with");
}

function comparisonDocument(
  context: Context,
  reportId: string,
  base: string | undefined,
  compared: Compared | undefined,
): ResourceDocument {
  return {
    id: reportId,
    type: "comparison",
    attributes: { base_id: base ?? null, states: compared ? stateTotals(compared.counts) : null },
    relationships: related({
      report: reportUrl(context, reportId),
      base: base === undefined ? undefined : reportUrl(context, base),
    }),
  };
}
