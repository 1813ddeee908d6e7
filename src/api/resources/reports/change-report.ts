import { findReport, type ReportRow } from "../../../database/reports/read-reports.ts";
import { setReportShared, upsertReport } from "../../../database/reports/reports.ts";
import { RequestError, type Violation } from "../../../domain/errors.ts";
import type { ReportSpec } from "../../../schema/report.ts";
import type { ReportResource } from "../../../schema/resources.ts";
import { isEndPhase } from "../../../schema/status.ts";
import { formatValue } from "../../../schema/validate.ts";
import type { Context, RouteResponse } from "../../context.ts";
import { callerOf } from "../../http/request/caller.ts";
import { one } from "../../http/response/documents.ts";
import { notFound, refuse } from "../../http/response/errors.ts";
import { outOfReach, updateSpec } from "../change-resource.ts";
import { unshareable } from "./create-report.ts";
import { startedReport } from "./report-access.ts";
import { reportDocument } from "./report-document.ts";

/** What a PATCH asks for; it has at least one of these. */
type Change = Partial<Pick<ReportSpec, "shared" | "cancelled">>;

/**
 * Shares a report or stops sharing it, or cancels it. Who may read it changes at once, with the row; the controller
 * ends a report that is cancelled.
 */
export async function changeReport(context: Context): Promise<RouteResponse> {
  const { db, cluster } = context.deps;
  const report = await startedReport(context);
  const { shared, cancelled = false } = requestedChange(context.attributes);
  const refused = unshareable(callerOf(context), { shared }, report);
  if (refused.length > 0) throw new RequestError(refused);
  const cancels = cancelled && report.spec.cancelled !== true;
  if (cancels) requireUnended(report);
  const change: Change = { ...(shared !== undefined && { shared }), ...(cancels && { cancelled }) };
  if (Object.keys(change).length > 0) {
    // A finished report may outlive its resource.
    const written = await updateSpec<ReportResource>(cluster, "Report", report, async (spec, generation) => ({
      ...spec,
      // A report that was unshared while its resource was out of reach stays so.
      ...(generation <= Number(report.generation) && { shared: report.shared }),
      ...change,
    }));
    if (written === "out of reach" && shared === false) await setReportShared(db, report.id, false);
    if (cancels && written === "gone") throw refuse(409, "report_deleted", "Conflict", "The report is being deleted.");
    if (cancels && written === "out of reach") throw outOfReach("report");
    // The row takes over the new generation, so that a slower reader of the resource cannot bring back an older value.
    if (typeof written === "object") await upsertReport(db, written, report.account_id, report.id);
  }
  if (shared !== undefined) await setReportShared(db, report.id, shared);
  const row = await findReport(db, report.id);
  if (!row) throw notFound("report");
  return one(reportDocument(context, row, true));
}

/** @throws RequestError 422 for anything other than `shared` (true or false) and `cancelled` (only true) */
function requestedChange(attributes: Context["attributes"]): Change {
  const { shared, cancelled, ...others } = attributes;
  const violations = Object.keys(others).map((attribute) =>
    violation(
      attribute.replaceAll("~", "~0").replaceAll("/", "~1"),
      "immutable_attribute",
      `${formatValue(attribute)} cannot be changed; only shared and cancelled can.`,
    ),
  );
  if (shared !== undefined && typeof shared !== "boolean")
    violations.push(
      violation("shared", "invalid_type", `shared must be true or false; received ${formatValue(shared)}.`),
    );
  if (cancelled !== undefined && cancelled !== true) {
    const code = cancelled === false ? "not_allowed" : "invalid_type";
    const detail = `cancelled must be true; received ${formatValue(cancelled)}. Cancelling cannot be undone.`;
    violations.push(violation("cancelled", code, detail));
  }
  if (Object.keys(attributes).length === 0)
    violations.push(violation("shared", "required", "shared (true or false) or cancelled (true) is required."));
  if (violations.length > 0) throw new RequestError(violations);
  return attributes as Change;
}

function violation(pointer: string, code: string, detail: string): Violation {
  const title = code === "immutable_attribute" ? "Attribute cannot be changed" : "Invalid attribute";
  return { status: 422, code, title, detail, source: { pointer: `/data/attributes/${pointer}` } };
}

/** @throws RequestError 409 when there is nothing left to cancel */
function requireUnended({ phase, run_base }: ReportRow): void {
  if (isEndPhase(phase))
    throw refuse(409, "report_ended", "Conflict", "The report has already ended, so it cannot be cancelled.");
  if (run_base === null) return;
  const detail = "The report has ended; a page of it is being checked again, which cannot be cancelled.";
  throw refuse(409, "report_ended", "Conflict", detail);
}
