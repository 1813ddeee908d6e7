import { type Compared, compareReports, findComparison } from "../../../database/findings/compare.ts";
import { findBase } from "../../../database/findings/find-base.ts";
import { findReport } from "../../../database/reports/queries.ts";
import { stateTotals } from "../../../domain/finding-state.ts";
import { reportAccess } from "../../../domain/principal.ts";
import type { Context, Route } from "../../context.ts";
import { one, type ResourceDocument, related } from "../../http/documents.ts";
import { notFound } from "../../http/errors.ts";
import { reportUrl, visibleReport } from "./report-access.ts";

export const comparisons: readonly Route[] = [
  {
    method: "GET",
    path: "/reports/:report_id/comparison",
    access: "shared",
    parameters: ["base"],
    handle: async (context) => {
      const { report, owned } = await visibleReport(context);
      const base = await baseOf(context, report.id);
      // Readers of a shared report cannot make the service work: they get what is there.
      const compare = owned ? compareReports : findComparison;
      const compared = base === undefined ? undefined : await compare(context.deps.db, report.id, base);
      return one(comparisonDocument(context, report.id, base, compared));
    },
  },
];

/** The report that is named in the request, or the one before. @throws RequestError 404 */
async function baseOf(context: Context, reportId: string): Promise<string | undefined> {
  const { caller, deps, query } = context;
  const named = query.uuid("base");
  if (named === undefined) return findBase(deps.db, reportId);
  const base = await findReport(deps.db, named);
  if (base && reportAccess(base, caller) !== "none") return named;
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
