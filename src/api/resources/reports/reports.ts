import {
  listReports,
  type ReportQuery,
  type ReportSortKey,
  reportSortKeys,
} from "../../../database/reports/read-reports.ts";
import { markReportDeleted } from "../../../database/reports/reports.ts";
import type { Context, Route, RouteResponse } from "../../context.ts";
import { callerOf } from "../../http/request/caller.ts";
import { pageParameters, tagParameters } from "../../http/request/query.ts";
import { created, list } from "../../http/response/documents.ts";
import { malformed } from "../../http/response/errors.ts";
import { deleteResource } from "../change-resource.ts";
import { changeReport } from "./change-report.ts";
import { createReport } from "./create-report.ts";
import { reportUrl, startedReport } from "./report-access.ts";
import { reportDocument } from "./report-document.ts";
import { showReport } from "./report-events.ts";

export const reports: readonly Route[] = [
  {
    method: "GET",
    path: "/reports",
    access: "account",
    parameters: [
      "filter[url]",
      ...tagParameters,
      "filter[schedule_id]",
      "created_by",
      "guest_token",
      "sort",
      ...pageParameters,
    ],
    handle: async (context) => {
      const page = context.query.page();
      const listed = await listReports(context.deps.db, { ...reportQuery(context), page });
      return list(context, page, listed, (report) => reportDocument(context, report, true));
    },
  },
  {
    method: "POST",
    path: "/reports",
    access: "account",
    bodyType: "report",
    handle: async (context) => {
      const report = await createReport(context, callerOf(context));
      return created(reportDocument(context, report, true), reportUrl(context, report.id));
    },
  },
  {
    method: "GET",
    path: "/reports/:report_id",
    access: "shared",
    handle: showReport,
  },
  { method: "PATCH", path: "/reports/:report_id", access: "account", bodyType: "report", handle: changeReport },
  { method: "DELETE", path: "/reports/:report_id", access: "account", handle: remove },
];

function reportQuery(context: Context): Omit<ReportQuery, "page"> {
  const { query } = context;
  const { accountId, guestToken } = callerOf(context);
  const createdBy = query.oneOf("created_by", ["me", "all", "guests"], "me");
  const tokens = query.text("guest_token");
  if (tokens !== undefined && createdBy !== "guests")
    throw malformed("invalid_parameter", "guest_token can be used only with created_by=guests.", {
      parameter: "guest_token",
    });
  const guestTokens = (tokens ?? "").split(",").map((token) => token.trim());
  const url = query.text("filter[url]");
  const tags = query.tags();
  const scheduleId = query.uuid("filter[schedule_id]");
  return {
    accountId,
    // A guest sees only its own reports, whatever it requests.
    createdBy: guestToken !== null ? { guestTokens: [guestToken] } : tokens !== undefined ? { guestTokens } : createdBy,
    ...(url !== undefined && { url }),
    ...(tags && { tags }),
    ...(scheduleId !== undefined && { scheduleId }),
    sort: sort(context),
  };
}

const sortOrders = reportSortKeys.flatMap((key) => [`${key}-asc`, `${key}-desc`] as const);

function sort({ query }: Context): ReportQuery["sort"] {
  const [key, direction] = query.oneOf("sort", sortOrders, "last_checked_at-desc").split("-");
  return { key: key as ReportSortKey, direction: direction as "asc" | "desc" };
}

/** Deletes the resource first: if this is interrupted after that, the controller marks the row. */
async function remove(context: Context): Promise<RouteResponse> {
  const { db, cluster, now } = context.deps;
  const report = await startedReport(context);
  await deleteResource(cluster, "Report", report);
  await markReportDeleted(db, report.id, now());
  return { status: 204 };
}
