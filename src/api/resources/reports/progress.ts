import type { ReportRow } from "../../../database/reports/queries.ts";
import { recentEnds } from "../../../database/reports/recent-checks.ts";
import { type Estimate, estimate } from "../../../domain/estimate.ts";
import type { Context, Route } from "../../context.ts";
import { one, type ResourceDocument, related } from "../../http/response/documents.ts";
import { reportUrl, visibleReport } from "./report-access.ts";

/** A resource of its own, because it changes all the time: as a part of the report it would change that one's ETag. */
export const reportProgress: readonly Route[] = [
  {
    method: "GET",
    path: "/reports/:report_id/progress",
    access: "shared",
    handle: async (context) => {
      const { report } = await visibleReport(context);
      return one(progressDocument(context, report, await estimateOf(context, report)));
    },
  },
];

async function estimateOf({ deps }: Context, report: ReportRow): Promise<Estimate | undefined> {
  if (report.phase !== "Crawling" && report.phase !== "Checking") return undefined;
  const { html, a11y } = await recentEnds(deps.db, report.id);
  const kinds = [
    { pending: report.html_pending, ended: html },
    { pending: report.a11y_pending, ended: a11y },
  ];
  return estimate(kinds, deps.now());
}

function progressDocument(context: Context, report: ReportRow, estimated: Estimate | undefined): ResourceDocument {
  return {
    id: report.id,
    type: "progress",
    attributes: {
      checks_per_minute: estimated?.checksPerMinute ?? null,
      seconds_left: estimated?.secondsLeft ?? null,
      all_pages_found: report.phase !== "Pending" && report.phase !== "Crawling",
    },
    relationships: related({ report: reportUrl(context, report.id) }),
  };
}
