import { checkKinds, nounOf } from "../../../checks/kinds.ts";
import { deleteResource } from "../../../cluster/delete-resource.ts";
import {
  countReportResults,
  findReport,
  listReports,
  type ReportQuery,
  type ReportRow,
  reportResults,
  reportSortKeys,
} from "../../../database/reports/read-reports.ts";
import { markReportDeleted } from "../../../database/reports/reports.ts";
import { reportSpecSchema } from "../../../schema/report.ts";
import type { Context, Route, RouteResponse } from "../../context.ts";
import type { List } from "../../documents.ts";
import { callerOf } from "../../http/request/caller.ts";
import {
  choiceParameter,
  pageParameters,
  sortParameter,
  startingUrlParameter,
  tagParameters,
  textParameter,
  timeParameter,
  uuidParameter,
} from "../../http/request/parameters.ts";
import { idsIn, isUuid, MAX_SIZE } from "../../http/request/query.ts";
import { created, list } from "../../http/response/documents.ts";
import { malformed, refuse } from "../../http/response/errors.ts";
import { bodyOf, newSpec } from "../../openapi/request-body.ts";
import { reportMeta } from "../../openapi/response-schemas/reports.ts";
import { changeReport } from "./change-report.ts";
import { createReport } from "./create-report.ts";
import { reportUrl, startedReport } from "./report-access.ts";
import { reportDocument } from "./report-document.ts";
import { showReport } from "./report-events.ts";

const { shared, cancelled } = reportSpecSchema.properties;
const reportChange = bodyOf("report", {
  type: "object",
  minProperties: 1,
  additionalProperties: false,
  properties: {
    shared: { type: "boolean", description: shared.description },
    cancelled: { type: "boolean", const: true, description: cancelled.description },
  },
});

export const reports: readonly Route[] = [
  {
    method: "GET",
    path: "/reports",
    id: "listReports",
    tag: "Reports",
    summary: "List reports",
    description:
      "The account's reports, most recently checked first. A host can list its guests' reports with created_by.",
    success: { kind: "list", type: "report", meta: reportMeta },
    access: "account",
    site: "caller",
    parameters: [
      startingUrlParameter,
      ...tagParameters,
      uuidParameter("filter[schedule_id]", "Reports of this schedule."),
      textParameter("filter[id]", `Reports with these ids; comma-separated, at most ${MAX_SIZE}.`),
      timeParameter("filter[from]", "Reports that were created at this time or later."),
      timeParameter("filter[to]", "Reports that were created before this time."),
      choiceParameter(
        "filter[result]",
        "passed, not_passed: by its limits when it ended; no_limits: it has ended and had none; failed; running: it has not ended.",
        reportResults,
      ),
      choiceParameter("filter[pinned]", "Only reports that are pinned, or only the others.", ["true", "false"]),
      choiceParameter(
        "results",
        "true: meta.results says how many reports there are of each result, without filter[result] and filter[pinned].",
        ["true"],
      ),
      choiceParameter(
        "created_by",
        "me: the account itself; guests: its guests; all: both. A guest always sees only its own.",
        ["me", "all", "guests"],
        "me",
      ),
      textParameter(
        "guest_token",
        "With created_by=guests: only the reports of these guests; comma-separated guest tokens.",
      ),
      sortParameter(
        `The sort order. ${checkKinds.map((kind) => `${nounOf(kind)}_issues`).join(" and ")} sort by errors, then warnings; last_checked_at uses the creation time for reports that have not been checked yet. Ties are sorted by id.`,
        reportSortKeys,
        "last_checked_at-desc",
      ),
      ...pageParameters,
    ],
    handle: async (context) => {
      const page = context.query.page();
      const query = reportQuery(context);
      const listed = await listReports(context.deps.db, { ...query, page });
      const results = context.query.choice("results", ["true"])
        ? await countReportResults(context.deps.db, query)
        : null;
      const meta = { results } satisfies Partial<List<"report">["meta"]>;
      return list(context, page, { ...listed, meta }, (report) => reportDocument(context, report, true));
    },
  },
  {
    method: "POST",
    path: "/reports",
    id: "createReport",
    audit: { verb: "started a run", area: "runs" },
    tag: "Reports",
    summary: "Create a report",
    description: `Starts a validation. Only starting_url is required: up to ${reportSpecSchema.properties.maxPages.default} pages with HTML checks. A schedule, the forms of the pages and the command check begin with other defaults: docs/check.md has them side by side. Get the report again to see its progress.`,
    success: { kind: "created", type: "report" },
    errors: [402],
    access: "account",
    site: "caller",
    right: "run",
    body: newSpec("report", reportSpecSchema),
    handle: async (context) => {
      const report = await createReport(context, callerOf(context));
      return created(reportDocument(context, report, true), reportUrl(context, report.id));
    },
  },
  {
    method: "GET",
    path: "/reports/:report_id",
    id: "getReport",
    tag: "Reports",
    summary: "Get a report",
    description:
      "Includes its progress and counters. If-None-Match makes polling cheap, and Prefer: wait reduces the number of requests.",
    success: { kind: "one", type: "report" },
    headers: ["Prefer"],
    access: "shared",
    site: "report",
    handle: showReport,
  },
  {
    method: "PATCH",
    path: "/reports/:report_id",
    id: "updateReport",
    audit: { verb: "changed a report", area: "runs" },
    tag: "Reports",
    summary: "Share a report, or cancel it",
    description:
      "A shared report and everything below it are readable without credentials. A report that is cancelled ends with its results so far; one that has ended cannot be cancelled. No other attribute can be changed.",
    success: { kind: "one", type: "report" },
    access: "account",
    site: "report",
    body: reportChange,
    handle: changeReport,
  },
  {
    method: "DELETE",
    path: "/reports/:report_id",
    id: "deleteReport",
    audit: { verb: "deleted a report", area: "deleted" },
    tag: "Reports",
    summary: "Delete a report",
    description:
      "Stops the report if it is running, and removes it with everything below it, and its numbers from the charts of its site. 409 for one that is pinned.",
    success: { kind: "nothing" },
    errors: [409],
    access: "account",
    site: "report",
    right: "share",
    handle: remove,
  },
];

function reportQuery(context: Context): Omit<ReportQuery, "page"> {
  const { query } = context;
  const { accountId, guestToken, sites } = callerOf(context);
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
  const ids = idsIn(query, isUuid, "UUIDs");
  const pinned = query.choice("filter[pinned]", ["true", "false"]);
  return {
    ...{ accountId, sites },
    // A guest sees only its own reports, whatever it requests.
    createdBy: guestToken !== null ? { guestTokens: [guestToken] } : tokens !== undefined ? { guestTokens } : createdBy,
    ...(url !== undefined && { url }),
    ...(tags && { tags }),
    ...(scheduleId !== undefined && { scheduleId }),
    ...(ids && { ids }),
    ...{ from: query.time("filter[from]"), to: query.time("filter[to]") },
    ...{ result: query.choice("filter[result]", reportResults), pinned: pinned && pinned === "true" },
    sort: query.sort(reportSortKeys) ?? { key: "last_checked_at", direction: "desc" },
  };
}

/** Deletes the resource first: if this is interrupted after that, the controller marks the row. */
async function remove(context: Context): Promise<RouteResponse> {
  const { db, cluster, now } = context.deps;
  const report = await startedReport(context);
  if (report.pin) throw pinned(report.pin);
  await deleteResource(cluster, "Report", report);
  await markReportDeleted(db, report.id, now());
  // It was pinned meanwhile: the resource is gone, and the report stays.
  const kept = await findReport(db, report.id);
  if (kept?.pin) throw pinned(kept.pin);
  return { status: 204 };
}

function pinned({ pinned_by, reason }: NonNullable<ReportRow["pin"]>): Error {
  const detail = `The report is pinned by ${pinned_by}: ${JSON.stringify(reason)}. Take the pin away first: DELETE /pins/{pin_id}.`;
  return refuse(409, "pinned", "Conflict", detail);
}
