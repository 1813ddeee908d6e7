import { createOnce } from "../../../cluster/create-once.ts";
import { isClusterError } from "../../../cluster/port.ts";
import { storageExcess } from "../../../database/accounts/accounts.ts";
import { findReport, type ReportRow } from "../../../database/reports/read-reports.ts";
import { upsertReport } from "../../../database/reports/reports.ts";
import { findExpectedReport, findLastRun } from "../../../database/schedules/runs.ts";
import { findScheduleOfHook, type ScheduleRow } from "../../../database/schedules/schedules.ts";
import { MAX_PAGES_OF_BOUNDED_RUN } from "../../../domain/accounts/roles.ts";
import { RequestError } from "../../../domain/errors.ts";
import { isPreview } from "../../../domain/schedules/preview-hosts.ts";
import { isReportOfRun, scheduledReport, scheduledSpec } from "../../../domain/schedules/scheduled-report.ts";
import { snakeCase } from "../../../schema/api-names.ts";
import { exceededLimits, limitSentence, missingEngine } from "../../../schema/limits.ts";
import { formatValue, parseReport } from "../../../schema/validate.ts";
import { beginHookRun, type HookRun } from "../../../transactions/schedules.ts";
import type { Context, Route, RouteResponse } from "../../context.ts";
import type { Run } from "../../documents.ts";
import { recorded } from "../../http/audit/record.ts";
import { related } from "../../http/response/documents.ts";
import { notFound, refuse } from "../../http/response/errors.ts";
import { badgeUrl } from "../badges.ts";
import { closedStart, createReportOf } from "../reports/create-report.ts";
import { reportUrl } from "../reports/report-access.ts";
import { reportDocument } from "../reports/report-document.ts";
import { scheduleUrl } from "./schedule-document.ts";
import { ownSchedule } from "./schedules.ts";

const hookAudit = { verb: "started a run", area: "runs" } as const;

export const deployHooks: readonly Route[] = [
  {
    method: "POST",
    path: "/deploy_hooks/:secret",
    id: "runDeployHook",
    audit: hookAudit,
    tag: "Schedules",
    summary: "Start a report for a deploy",
    description:
      "The address is the credential; a body may be anything, and is ignored but for a starting_url, which must be on a host of the schedule's preview_hosts: it starts a report of that URL, which is compared with the schedule's last whole run. While a report of the schedule is running, one follow-up report is queued: it has its address at once, and the phase Pending until it starts.",
    success: { kind: "run" },
    errors: [402, 409, 422],
    access: "public",
    takesAnyBody: true,
    handle: runForDeploy,
  },
  {
    method: "POST",
    path: "/schedules/:schedule_id/runs",
    id: "runSchedule",
    audit: hookAudit,
    tag: "Schedules",
    summary: "Start a report of a schedule",
    description: `As its deploy hook does, for a token that may start runs: also of more than ${MAX_PAGES_OF_BOUNDED_RUN} pages. While a report of the schedule is running, one follow-up report is queued: it has its address at once, and the phase Pending until it starts.`,
    success: { kind: "run" },
    errors: [409],
    access: "account",
    site: "schedule",
    right: "run",
    handle: async (context) => {
      const schedule = await ownSchedule(context);
      await requireStartable(context, schedule);
      return runNow(context, schedule);
    },
  },
];

/**
 * Starts a run, or queues the one run that follows the active one. The decision is stored as
 * a row: if this is interrupted after that, the controller creates the report.
 */
async function runForDeploy(context: Context): Promise<RouteResponse> {
  const schedule = await findScheduleOfHook(context.deps.db, context.params.secret ?? "");
  if (!schedule) throw notFound("deploy hook");
  const { starting_url: preview } = context.attributes;
  if (preview !== undefined && schedule.spec.previewHosts.length === 0) throw notDefinedHere();
  await requireStartable(context, schedule);
  const target = { type: "schedule", id: schedule.id, name: schedule.starting_url, path: `/schedules/${schedule.id}` };
  return recorded(
    { ...context, origin: () => ({ ...context.origin(), via: "hook" }) },
    {
      doer: { accountId: schedule.account_id, who: "link", whoId: null, whoName: "a deploy hook" },
      id: "runDeployHook",
      audit: hookAudit,
      target: { ...target, siteUrl: schedule.starting_url },
    },
    async () => {
      if (preview !== undefined)
        return answer(context, schedule, await startPreview(context, schedule, preview), false);
      return runNow(context, schedule);
    },
  );
}

/**
 * Checked here, because this creates the report's row, and a report with a row counts as admitted.
 *
 * @throws RequestError 409
 */
async function requireStartable({ deps }: Context, schedule: ScheduleRow): Promise<void> {
  const { db, limits, maxAccountBytes } = deps;
  const [excess] = exceededLimits(schedule.spec, limits);
  const sentence = excess
    ? limitSentence(snakeCase(excess.field), excess)
    : (missingEngine("html_engine", schedule.spec, limits) ??
      (await storageExcess(db, schedule.account_id, maxAccountBytes ?? 0)));
  if (sentence !== undefined)
    throw refuse(409, "schedule_inactive", "Conflict", `The schedule cannot start reports: ${sentence}`);
}

async function runNow(context: Context, schedule: ScheduleRow): Promise<RouteResponse> {
  const { db, now } = context.deps;
  const run = await beginHookRun(db, schedule.id, now());
  if (!run) throw inactive();
  if (run.state === "started") await startRun(context, schedule, run);
  const { reportId } = run;
  const report = (await findReport(db, reportId)) ?? (await findExpectedReport(db, schedule.account_id, reportId));
  if (!report) throw inactive();
  return answer(context, schedule, report, run.state === "queued");
}

function answer(context: Context, schedule: ScheduleRow, report: ReportRow, queued: boolean): RouteResponse {
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
      meta: { queued, badge_url: badgeUrl(context, "report", report.id) },
      jsonapi: { version: "1.0" },
    } satisfies Run,
    headers: { Location: reportUrl(context, report.id) },
  };
}

/**
 * Starts a report of a preview: not a run of the schedule, so that its runs stay runs of one site, but compared with the
 * last of them.
 */
async function startPreview(context: Context, schedule: ScheduleRow, startingUrl: unknown): Promise<ReportRow> {
  const { db, limits } = context.deps;
  const parsed = parseReport({ starting_url: startingUrl }, limits);
  const { previewHosts } = schedule.spec;
  const owner = { accountId: schedule.account_id, guestToken: schedule.guest_token };
  const closed = closedStart(context, owner.guestToken);
  if ("violations" in parsed || closed.length > 0)
    throw new RequestError([...("violations" in parsed ? parsed.violations : []), ...closed]);
  const { spec } = parsed;
  if (!isPreview(spec.startingUrl, previewHosts))
    throw refuse(
      422,
      "not_allowed",
      "Invalid attribute",
      `starting_url is ${formatValue(startingUrl)}; its host must be one of preview_hosts of the schedule: ${previewHosts.join(", ")}.`,
      { pointer: "/data/attributes/starting_url" },
    );
  if (!schedule.active) throw inactive();
  const base = await findLastRun(db, schedule.id, { whole: true });
  return createReportOf(context, owner, {
    ...scheduledSpec(schedule.spec),
    startingUrl: spec.startingUrl,
    baseId: base?.id ?? "",
  });
}

/**
 * A deploy tells what it likes in its body, but whoever names a starting URL wants another site to be checked. The secret of
 * a hook is not a right to that.
 */
function notDefinedHere(): Error {
  const detail =
    "A deploy hook starts the report that its schedule defines: starting_url cannot be set here, unless the schedule has preview_hosts. Leave it out; change the schedule, or create a report of another URL with POST /reports.";
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
