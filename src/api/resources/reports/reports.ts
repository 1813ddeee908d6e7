import { type Cluster, isClusterError } from "../../../cluster/port.ts";
import {
  findReport,
  listReports,
  markReportDeleted,
  type ReportQuery,
  type ReportRow,
  type ReportSortKey,
  reportSortKeys,
  setReportShared,
} from "../../../database/reports/queries.ts";
import { upsertReport } from "../../../database/reports/reports.ts";
import { RequestError, type Violation } from "../../../domain/errors.ts";
import type { ReportResource } from "../../../schema/resources.ts";
import { formatValue } from "../../../schema/validate.ts";
import type { Context, Route, RouteResponse } from "../../context.ts";
import { callerOf } from "../../http/caller.ts";
import { created, list, one } from "../../http/documents.ts";
import { malformed, notFound } from "../../http/errors.ts";
import { pageParameters, tagParameters } from "../../http/query.ts";
import { createReport } from "./create-report.ts";
import { reportUrl, startedReport } from "./report-access.ts";
import { reportDocument } from "./report-document.ts";
import { showReport } from "./report-events.ts";

/** Another writer may change the resource in between; more conflicts than this mean that something is wrong. */
const MAX_CONFLICTS = 5;

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
  { method: "PATCH", path: "/reports/:report_id", access: "account", bodyType: "report", handle: share },
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

/** Shares a report or stops sharing it. The row changes at once: it alone decides who may read. */
async function share(context: Context): Promise<RouteResponse> {
  const { db, cluster, now } = context.deps;
  const report = await startedReport(context);
  const shared = requestedShared(context.attributes);
  await shareResource(cluster, report, shared, async (resource) => {
    await upsertReport(db, resource, report.account_id);
  });
  await setReportShared(db, report.id, shared, now());
  const row = await findReport(db, report.id);
  if (!row) throw notFound("report");
  return one(reportDocument(context, row, true));
}

/** @throws RequestError 422 for anything but `{shared: <boolean>}` */
function requestedShared(attributes: Context["attributes"]): boolean {
  const violations: Violation[] = Object.keys(attributes)
    .filter((attribute) => attribute !== "shared")
    .map((attribute) => ({
      status: 422,
      code: "immutable_attribute",
      title: "Attribute cannot be changed",
      detail: `${formatValue(attribute)} cannot be changed; only shared can.`,
      source: { pointer: `/data/attributes/${attribute.replaceAll("~", "~0").replaceAll("/", "~1")}` },
    }));
  const { shared } = attributes;
  if (typeof shared !== "boolean")
    violations.push({
      status: 422,
      code: shared === undefined ? "required" : "invalid_type",
      title: "Invalid attribute",
      detail:
        shared === undefined
          ? "shared is required: true or false."
          : `shared must be true or false; received ${formatValue(shared)}.`,
      source: { pointer: "/data/attributes/shared" },
    });
  if (violations.length > 0 || typeof shared !== "boolean") throw new RequestError(violations);
  return shared;
}

/**
 * Writes `shared` into the resource's spec, if the resource still exists: finished reports
 * outlive theirs. The row takes over the new generation, so that a slower reader of the
 * resource cannot bring back an older value.
 */
async function shareResource(
  cluster: Cluster,
  { namespace, name, uid }: ReportRow,
  shared: boolean,
  written: (resource: ReportResource) => Promise<void>,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const resource = await cluster.get("Report", namespace, name);
    if (!resource || resource.metadata.uid !== uid || resource.metadata.deletionTimestamp) return;
    try {
      await written(await cluster.update<"Report">({ ...resource, spec: { ...resource.spec, shared } }));
      return;
    } catch (error) {
      if (isClusterError(error, "NotFound")) return;
      if (!isClusterError(error, "Conflict") || attempt === MAX_CONFLICTS) throw error;
    }
  }
}

/** Deletes the resource first: if this is interrupted after that, the controller marks the row. */
async function remove(context: Context): Promise<RouteResponse> {
  const { db, cluster, now } = context.deps;
  const { id, namespace, name, uid } = await startedReport(context);
  try {
    await cluster.delete("Report", namespace, name, { uid });
  } catch (error) {
    // Another resource has the name now: this report's own is already gone.
    if (!isClusterError(error, "Conflict")) throw error;
  }
  await markReportDeleted(db, id, now());
  return { status: 204 };
}
