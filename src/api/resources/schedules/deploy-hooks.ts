import { createOnce } from "../../../cluster/create-once.ts";
import { isClusterError } from "../../../cluster/port.ts";
import { storageExcess } from "../../../database/accounts/accounts.ts";
import { findReport } from "../../../database/reports/read-reports.ts";
import { upsertReport } from "../../../database/reports/reports.ts";
import { findExpectedReport } from "../../../database/schedules/runs.ts";
import { findScheduleOfHook, type ScheduleRow } from "../../../database/schedules/schedules.ts";
import { isReportOfRun, scheduledReport } from "../../../domain/schedules/scheduled-report.ts";
import { snakeCase } from "../../../schema/api-names.ts";
import { exceededLimits, limitSentence, missingEngine } from "../../../schema/limits.ts";
import { beginHookRun, type HookRun } from "../../../transactions/schedules.ts";
import type { Context, Route, RouteResponse } from "../../context.ts";
import type { Run } from "../../documents.ts";
import { related } from "../../http/response/documents.ts";
import { notFound, refuse } from "../../http/response/errors.ts";
import { reportUrl } from "../reports/report-access.ts";
import { reportDocument } from "../reports/report-document.ts";
import { scheduleUrl } from "./schedule-document.ts";

export const deployHooks: readonly Route[] = [
  { method: "POST", path: "/deploy_hooks/:secret", access: "public", takesAnyBody: true, handle: runForDeploy },
];

/**
 * Starts a run, or queues the one run that follows the active one. The decision is stored as
 * a row: if this is interrupted after that, the controller creates the report.
 */
async function runForDeploy(context: Context): Promise<RouteResponse> {
  const { db, now } = context.deps;
  const schedule = await findScheduleOfHook(db, context.params.secret ?? "");
  if (!schedule) throw notFound("deploy hook");
  if (Object.hasOwn(context.attributes, "starting_url")) throw notDefinedHere();
  // Checked here, because this creates the report's row, and a report with a row counts as admitted.
  const { limits } = context.deps;
  const [excess] = exceededLimits(schedule.spec, limits);
  const sentence = excess
    ? limitSentence(snakeCase(excess.field), excess)
    : (missingEngine("html_engine", schedule.spec, limits) ??
      (await storageExcess(db, schedule.account_id, context.deps.maxAccountBytes ?? 0)));
  if (sentence !== undefined)
    throw refuse(409, "schedule_inactive", "Conflict", `The schedule cannot start reports: ${sentence}`);
  const run = await beginHookRun(db, schedule.id, now());
  if (!run) throw inactive();
  if (run.state === "started") await startRun(context, schedule, run);
  const { reportId } = run;
  const report = (await findReport(db, reportId)) ?? (await findExpectedReport(db, schedule.account_id, reportId));
  if (!report) throw inactive();
  const document = reportDocument(context, report, false);
  // A caller with the hook's secret may see the schedule's address, but not who owns the schedule.
  const links = related({
    schedule: scheduleUrl(context, schedule.id),
    device: `${context.base}/devices/${schedule.spec.deviceId || "default"}`,
  });
  return {
    status: 202,
    document: {
      data: { ...document, relationships: { ...document.relationships, ...links } },
      meta: { queued: run.state === "queued" },
      jsonapi: { version: "1.0" },
    } satisfies Run,
    headers: { Location: reportUrl(context, reportId) },
  };
}

/**
 * A deploy tells what it likes in its body, but whoever names a starting URL wants another site to be checked. The secret of
 * a hook is not a right to that.
 */
function notDefinedHere(): Error {
  const detail =
    "A deploy hook starts the report that its schedule defines: starting_url cannot be set here. Leave it out; change the schedule, or create a report of another URL with POST /reports.";
  return refuse(422, "unknown_attribute", "Unknown attribute", detail, { pointer: "/data/attributes/starting_url" });
}

function inactive(): Error {
  const detail = "The schedule is not active, so its deploy hook starts no reports.";
  return refuse(409, "schedule_inactive", "Conflict", detail);
}

/** Creates the report, if the API can; otherwise the controller does. */
async function startRun(
  context: Context,
  schedule: ScheduleRow,
  { slot, reportId }: HookRun & { state: "started" },
): Promise<void> {
  const { db, cluster } = context.deps;
  const report = scheduledReport({
    scheduleId: schedule.id,
    accountId: schedule.account_id,
    guestToken: schedule.guest_token,
    namespace: schedule.namespace,
    name: schedule.name,
    spec: schedule.spec,
    slot,
    reportId,
    requestId: context.requestId,
  });
  try {
    const resource = await createOnce<"Report">(cluster, "Report", report, ({ metadata }) =>
      isReportOfRun(metadata, { scheduleId: schedule.id, name: schedule.name, slot }),
    );
    if (resource) await upsertReport(db, resource, schedule.account_id, reportId);
  } catch (error) {
    // Forbidden: the API may not create resources in other namespaces. Invalid: the controller gives the run up.
    if (!isClusterError(error, "Forbidden") && !isClusterError(error, "Invalid")) throw error;
  }
}
