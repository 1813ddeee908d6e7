import type { RequestState } from "../../../database/findings/comparison-requests.ts";
import {
  type Compared,
  findBase,
  findComparison,
  type Pair,
  readDifferences,
} from "../../../database/findings/comparisons.ts";
import { findReport, type ReportRow } from "../../../database/reports/read-reports.ts";
import { reportAccess } from "../../../domain/accounts/principal.ts";
import { COMPARED_AT_ONCE, MAX_OF_GUESTS, MAX_REQUESTS } from "../../../domain/findings/comparing.ts";
import { comparisonFailures } from "../../../domain/findings/comparison-failure.ts";
import { stateTotals } from "../../../domain/findings/finding-state.ts";
import { snakeCase } from "../../../schema/api-names.ts";
import { compareAtOnce, requestComparison } from "../../../transactions/compare-at-once.ts";
import type { Context, Route, RouteResponse } from "../../context.ts";
import type { Attributes, Resource } from "../../documents.ts";
import { one, related } from "../../http/response/documents.ts";
import { notFound, refuse } from "../../http/response/errors.ts";
import { reportUrl, visibleReport } from "./report-access.ts";

/** When to look for the result, in seconds. */
const RETRY_AFTER = 5;

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
      if (base === undefined) return one(comparisonDocument(context, report.id, base, [], undefined));
      const pair = { reportId: report.id, baseId: base };
      const differs = (await readDifferences(context.deps.db, pair)).map(snakeCase);
      // Only the owner of both reports can start a comparison. Readers of a shared one get a comparison that exists.
      const found =
        (await findComparison(context.deps.db, report.id, base)) ??
        (owned && sameAccount ? await compare(context, pair) : undefined);
      return comparisonResponse(context, pair, differs, found);
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

/** Compares small reports at once. Others, and those that take too long after all, are compared by the controller. */
async function compare({ deps, caller }: Context, pair: Pair): Promise<Compared | RequestState | undefined> {
  const { db, comparedAtOnce = COMPARED_AT_ONCE } = deps;
  const compared = await compareAtOnce(db, pair, comparedAtOnce);
  if (compared !== "too_long") return compared;
  const requested = await requestComparison(db, { ...pair, byGuest: caller?.guestToken != null });
  if (requested !== "full") return requested;
  const detail = `No more than ${MAX_REQUESTS} comparisons of an account may wait or be made, and guests may ask for ${MAX_OF_GUESTS} of these; try again when one of them is there.`;
  throw refuse(429, "too_many_at_once", "Too many requests", detail, undefined, { "Retry-After": "30" });
}

function comparisonResponse(
  context: Context,
  pair: Pair,
  differs: string[],
  found: Compared | RequestState | undefined,
): RouteResponse {
  const response = one(comparisonDocument(context, pair.reportId, pair.baseId, differs, found));
  if (!found || !("status" in found) || found.status === "failed") return response;
  const Location = `${reportUrl(context, pair.reportId)}/comparison?base=${pair.baseId}`;
  return { ...response, status: 202, headers: { Location, "Retry-After": String(RETRY_AFTER) } };
}

function comparisonDocument(
  context: Context,
  reportId: string,
  base: string | undefined,
  differs: string[],
  found: Compared | RequestState | undefined,
): Resource<"comparison"> {
  return {
    id: reportId,
    type: "comparison",
    attributes: { base_id: base ?? null, differs, ...progressOf(found) },
    relationships: related({
      report: reportUrl(context, reportId),
      base: base === undefined ? undefined : reportUrl(context, base),
    }),
  };
}

function progressOf(found: Compared | RequestState | undefined): Omit<Attributes<"comparison">, "base_id" | "differs"> {
  const none = { states: null, muted: null, percent: null, failure: null };
  if (!found) return { ...none, status: "none" };
  if ("counts" in found) {
    const [states, muted] = [stateTotals(found.counts), stateTotals(found.mutedCounts)];
    return { ...none, states, muted, status: "complete", percent: 100 };
  }
  const { status } = found;
  if (status !== "failed") return { ...none, status, percent: found.percent };
  return { ...none, status, failure: { code: found.failure, detail: comparisonFailures[found.failure] } };
}
