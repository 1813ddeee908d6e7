import { isDeepStrictEqual } from "node:util";
import { createOnce } from "../../cluster/create-once.ts";
import { isClusterError } from "../../cluster/port.ts";
import { isGuestDeleted } from "../../database/accounts/guests.ts";
import { endRun, setNextRun } from "../../database/schedules/runs.ts";
import { errorText } from "../../domain/error-text.ts";
import { isReportOfRun, scheduledReport } from "../../domain/schedules/scheduled-report.ts";
import type { ScheduleResource, ScheduleStatus } from "../../schema/resources.ts";
import { beginRun, endGoneSchedules } from "../../transactions/schedules.ts";
import { setConditions } from "../conditions.ts";
import type { ControllerDeps } from "../deps.ts";
import { outcomeOf } from "../failures.ts";
import { recordEvents } from "../record-events.ts";
import { recheckAfterMs } from "../report/admit.ts";
import { expireReport } from "../report/apply.ts";
import { admitSchedule, type ScheduleAdmission } from "./admit.ts";
import { observeSchedule } from "./observe.ts";
import { planSchedule, type ScheduleAction } from "./plan.ts";
import { declareReceivers } from "./receivers.ts";

/**
 * Reconciles one Schedule, `<namespace>/<name>`.
 *
 * @param known called with the schedule's id
 * @returns milliseconds after which to reconcile again
 * @throws any error of a step; ClusterError `Conflict` or `NotFound` when a resource changed in the meantime
 */
export async function reconcileSchedule(
  deps: ControllerDeps,
  key: string,
  known: (id: string) => void = () => {},
): Promise<number | undefined> {
  try {
    const again = await step(deps, key, known);
    deps.metrics?.scheduleReconciles.inc({ result: "done" });
    return again;
  } catch (error) {
    deps.metrics?.scheduleReconciles.inc({ result: outcomeOf(error) });
    throw error;
  }
}

async function step(deps: ControllerDeps, key: string, known: (id: string) => void): Promise<number | undefined> {
  const { cluster, db } = deps;
  const [namespace = "", name = ""] = key.split("/");
  const seen = await cluster.get("Schedule", namespace, name);
  if (!seen || seen.metadata.deletionTimestamp) {
    // Its reports are kept, and a running one continues.
    await endGoneSchedules(db, { namespace, name }, deps.now());
    return undefined;
  }
  const admission = await admitSchedule(deps, seen);
  if (admission.state === "refused") return showRefusal(deps, seen, admission);
  await endGoneSchedules(db, { namespace, name, uid: seen.metadata.uid }, deps.now());
  if (admission.row.deleted_at) {
    // Deleted through the API, which could not delete the resource, or was interrupted before that.
    await cluster.delete("Schedule", namespace, name, { uid: admission.resource.metadata.uid });
    return undefined;
  }
  known(admission.id);
  const { resource, row } = admission;
  if (resource.spec.active && row.guest_token !== null && (await isGuestDeleted(db, row.guest_token))) {
    deps.log.info("schedule stopped: its guest account is deleted", { schedule: admission.id });
    await cluster.update<"Schedule">({ ...resource, spec: { ...resource.spec, active: false } });
    return 0;
  }
  const now = deps.now();
  // Before its runs: the first one may end at once.
  const notified = await declareReceivers(deps, admission);
  const snapshot = await observeSchedule(deps, admission);
  const plan = planSchedule({ ...snapshot, notifies: notified?.condition }, now);
  for (const action of plan.actions) await apply(deps, admission, action, now);
  await writeStatus(deps, admission.resource, plan.status);
  await recordEvents(deps, admission.resource, plan.events);
  return soonest(plan.requeueAfterMs, notified?.againMs);
}

function soonest(...times: (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

/** Carries out one action. Each action is idempotent. */
async function apply(
  deps: ControllerDeps,
  admission: ScheduleAdmission & { state: "ours" },
  action: ScheduleAction,
  now: Date,
): Promise<void> {
  const { db, log } = deps;
  const { id, row } = admission;
  switch (action.type) {
    case "begin-run":
      if (await beginRun(db, id, action, now, row)) log.info("schedule is due", { schedule: id, slot: action.slot });
      break;
    case "create-report":
      await createReport(deps, admission, action);
      break;
    case "end-run":
      await endRun(db, id, action.slot);
      break;
    case "set-next-run":
      await setNextRun(db, id, action.nextRunAt, row);
      break;
    case "expire-report":
      await expireReport(deps, action.report);
  }
}

async function createReport(
  { cluster, db, log }: ControllerDeps,
  { id, resource, row }: ScheduleAdmission & { state: "ours" },
  { slot, reportId }: { slot: Date; reportId: string },
): Promise<void> {
  const { namespace, name } = resource.metadata;
  const report = scheduledReport({
    scheduleId: id,
    accountId: row.account_id,
    guestToken: row.guest_token,
    namespace,
    name,
    spec: resource.spec,
    slot,
    reportId,
  });
  const context = { schedule: id, report: reportId, name: report.metadata.name };
  try {
    const made = await createOnce<"Report">(cluster, "Report", report, ({ metadata }) =>
      isReportOfRun(metadata, { scheduleId: id, name, slot }),
    );
    if (made) {
      log.info("schedule's report created", context);
      return;
    }
    log.error("schedule's run given up: another resource has the name of its report", context);
  } catch (error) {
    if (!isClusterError(error, "Invalid")) throw error;
    log.error("schedule's run given up: its report is refused", { ...context, error: errorText(error) });
  }
  await endRun(db, id, slot);
}

async function showRefusal(
  deps: ControllerDeps,
  resource: ScheduleResource,
  { reason, message }: ScheduleAdmission & { state: "refused" },
): Promise<number | undefined> {
  const { generation } = resource.metadata;
  const update = { type: "Ready", status: "False", reason, message } as const;
  const before = resource.status?.conditions ?? [];
  await writeStatus(deps, resource, {
    observedGeneration: generation,
    conditions: setConditions(before, [update], generation, deps.now()),
  });
  if (!before.some((condition) => condition.reason === reason))
    await recordEvents(deps, resource, [{ type: "Warning", reason: "Refused", message: `${reason}: ${message}` }]);
  return recheckAfterMs(reason);
}

async function writeStatus({ cluster }: ControllerDeps, resource: ScheduleResource, status: ScheduleStatus) {
  if (!isDeepStrictEqual(resource.status, status)) await cluster.updateStatus<"Schedule">({ ...resource, status });
}
