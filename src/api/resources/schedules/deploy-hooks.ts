import { createOnce } from "../../../cluster/create-once.ts";
import { isClusterError } from "../../../cluster/port.ts";
import { findReport } from "../../../database/reports/queries.ts";
import { upsertReport } from "../../../database/reports/reports.ts";
import { findScheduleOfHook } from "../../../database/schedules/deploy-hooks.ts";
import { type ScheduleRow, wakeSchedule } from "../../../database/schedules/schedules.ts";
import { claimHookRun, type HookRun } from "../../../database/schedules/slots.ts";
import { scheduledReport } from "../../../domain/scheduled-report.ts";
import { snakeCase } from "../../../schema/api-names.ts";
import { exceededLimits, limitSentence } from "../../../schema/limits.ts";
import { annotations } from "../../../schema/resources.ts";
import type { Answer, Context, Route } from "../../context.ts";
import { type ResourceDocument, related } from "../../http/documents.ts";
import { notFound, refuse } from "../../http/errors.ts";
import { reportUrl } from "../reports/report-access.ts";
import { reportDocument } from "../reports/report-document.ts";
import { scheduleUrl } from "./schedule-document.ts";

export const deployHooks: readonly Route[] = [
  { method: "POST", path: "/deploy_hooks/:secret", access: "public", handle: runForDeploy },
];

/**
 * Starts a run, or queues the one run that follows the active one. The decision is a
 * row; cut off after it, the controller makes the report.
 */
async function runForDeploy(context: Context): Promise<Answer> {
  const { db, now } = context.deps;
  const schedule = await findScheduleOfHook(db, context.params.secret ?? "");
  if (!schedule) throw notFound("deploy hook");
  // The report's row is made here, and whoever has a row was admitted.
  const [excess] = exceededLimits(schedule.spec, context.deps.limits);
  if (excess) {
    const sentence = limitSentence(snakeCase(excess.field), excess);
    throw refuse(409, "schedule_inactive", "Conflict", `The schedule starts no reports: ${sentence}`);
  }
  const run = await claimHookRun(db, schedule.id, now());
  if (!run)
    throw refuse(409, "schedule_inactive", "Conflict", "The schedule is not active: deploys start no report of it.");
  const data = run.state === "started" ? await startRun(context, schedule, run) : undefined;
  await wakeSchedule(db, schedule.id);
  return {
    status: 202,
    document: {
      data: data ?? expectedReport(context, schedule, run.reportId),
      meta: { queued: run.state === "queued" },
      jsonapi: { version: "1.0" },
    },
    headers: { Location: reportUrl(context, run.reportId) },
  };
}

/** @returns undefined when the controller is to make the report */
async function startRun(
  context: Context,
  schedule: ScheduleRow,
  { slot, reportId }: HookRun & { state: "started" },
): Promise<ResourceDocument | undefined> {
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
    const resource = await createOnce<"Report">(
      cluster,
      "Report",
      report,
      ({ metadata }) => metadata.annotations?.[annotations.id] === reportId,
    );
    if (!resource || !(await upsertReport(db, resource, schedule.account_id))) return undefined;
  } catch (error) {
    // In another namespace the api may not create anything.
    if (!isClusterError(error, "Forbidden") && !isClusterError(error, "Invalid")) throw error;
    return undefined;
  }
  const row = await findReport(db, reportId);
  if (!row) return undefined;
  const document = reportDocument(context, row, false);
  // Whoever has the hook's secret may know whose it is, if not who owns that.
  const links = related({
    schedule: scheduleUrl(context, schedule.id),
    device: `${context.base}/devices/${schedule.spec.deviceId || "default"}`,
  });
  return { ...document, relationships: { ...document.relationships, ...links } };
}

/** A report that has been decided on: under its address there is nothing until it starts. */
function expectedReport(context: Context, schedule: ScheduleRow, id: string): ResourceDocument {
  return {
    id,
    type: "report",
    attributes: { starting_url: schedule.starting_url, phase: "Pending" },
    relationships: related({ schedule: scheduleUrl(context, schedule.id) }),
  };
}
