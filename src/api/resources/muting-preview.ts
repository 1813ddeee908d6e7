import { latestReports, type MutingScope, previewMuting, type Silenced } from "../../database/accounts/mutings.ts";
import { findReport } from "../../database/reports/read-reports.ts";
import { reportAccess } from "../../domain/accounts/principal.ts";
import type { Context, Route } from "../context.ts";
import { callerOf } from "../http/request/caller.ts";
import { one } from "../http/response/documents.ts";
import { notFound } from "../http/response/errors.ts";
import { readMuting } from "./muting-attributes.ts";

/** What a muting would silence, before it is created. */
export const mutingPreview: readonly Route[] = [
  {
    method: "POST",
    path: "/mutings/preview",
    access: "account",
    parameters: ["report_id"],
    bodyType: "muting",
    isSafe: true,
    isHeavy: true,
    handle: async (context) => {
      const { db, now } = context.deps;
      const named = context.query.uuid("report_id");
      const reports = await reportsOf(context, named);
      const { criteria } = readMuting(context.attributes, now());
      const total: Silenced = { findings: 0, issues: 0, pages: 0 };
      for (const { id } of reports) {
        const { findings, issues, pages } = await previewMuting(db, id, criteria);
        total.findings += findings;
        total.issues += issues;
        total.pages += pages;
      }
      return one({
        id: named ?? "latest",
        type: "muting_preview",
        attributes: { ...total, reports: reports.length },
      });
    },
  },
];

/** The report that is named in the request, or the latest ones. @throws RequestError 404 */
async function reportsOf(context: Context, named: string | undefined): Promise<{ id: string }[]> {
  const { db } = context.deps;
  const caller = callerOf(context);
  if (named === undefined) return latestReports(db, caller);
  const report = await findReport(db, named);
  if (!report || reportAccess(report, caller) !== "owner") throw notFound("report");
  return isOf(report, caller) ? [report] : [];
}

/** A host's mutings do not apply to its guests' reports. */
function isOf(report: { guest_token: string | null }, { guestToken }: Pick<MutingScope, "guestToken">): boolean {
  return report.guest_token === guestToken;
}
