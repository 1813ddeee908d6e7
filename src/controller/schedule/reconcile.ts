import { isDeepStrictEqual } from "node:util";
import { createOnce } from "../../cluster/create-once.ts";
import { isClusterError } from "../../cluster/port.ts";
import { isGuestDeleted } from "../../database/accounts/guests.ts";
import { markGoneSchedules } from "../../database/schedules/schedules.ts";
import { claimSlot, endSlot, setNextRun } from "../../database/schedules/slots.ts";
import { scheduledReport } from "../../domain/scheduled-report.ts";
import { annotations, type ScheduleResource, type ScheduleStatus } from "../../schema/resources.ts";
import { setConditions } from "../conditions.ts";
import type { ControllerDeps } from "../deps.ts";
import { outcomeOf } from "../failures.ts";
import { recordEvents } from "../record-events.ts";
import { recheckAfterMs } from "../report/admit.ts";
import { expireReport } from "../report/apply.ts";
import { admitSchedule, type ScheduleAdmission } from "./admit.ts";
import { observeSchedule } from "./observe.ts";
import { planSchedule, type ScheduleAction } from "./plan.ts";

/**
 * Brings one Schedule, `<namespace>/<name>`, a step further.
 *
 * @param known is told the schedule's id
 * @returns when to look again
 * @throws whatever kept it from that; ClusterError `Conflict` or `NotFound` when the world moved on meanwhile
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
    // Its reports stay, and one that runs goes on to its end.
    await markGoneSchedules(db, { namespace, name }, deps.now());
    return undefined;
  }
  const claim = await admitSchedule(deps, seen);
  if (claim.state === "refused") return showRefusal(deps, seen, claim);
  await markGoneSchedules(db, { namespace, name, uid: seen.metadata.uid }, deps.now());
  // Deleted through the API a moment ago; the resource is gone as well.
  if (claim.row.deleted_at) return undefined;
  known(claim.id);
  const { resource, row } = claim;
  if (resource.spec.active && row.guest_token !== null && (await isGuestDeleted(db, row.guest_token))) {
    deps.log.info("schedule stopped: the guest account that it belongs to is deleted", { schedule: claim.id });
    await cluster.update<"Schedule">({ ...resource, spec: { ...resource.spec, active: false } });
    return 0;
  }
  const now = deps.now();
  const snapshot = await observeSchedule(deps, claim);
  const plan = planSchedule(snapshot, now);
  for (const action of plan.actions) await apply(deps, claim, action, now);
  await writeStatus(deps, claim.resource, plan.status);
  await recordEvents(deps, claim.resource, plan.events);
  return plan.requeueAfterMs;
}

/** Carries out one action; each may be repeated. */
async function apply(
  deps: ControllerDeps,
  claim: ScheduleAdmission & { state: "ours" },
  action: ScheduleAction,
  now: Date,
): Promise<void> {
  const { db, log } = deps;
  const { id } = claim;
  switch (action.type) {
    case "claim-slot":
      if (await claimSlot(db, id, action, now)) log.info("schedule is due", { schedule: id, slot: action.slot });
      break;
    case "create-report":
      await createReport(deps, claim, action);
      break;
    case "end-slot":
      await endSlot(db, id, action.slot);
      break;
    case "set-next-run":
      await setNextRun(db, id, action.nextRunAt);
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
    const made = await createOnce<"Report">(
      cluster,
      "Report",
      report,
      ({ metadata }) => metadata.annotations?.[annotations.id] === reportId,
    );
    if (made) {
      log.info("report of a schedule made", context);
      return;
    }
    log.error("a schedule's run is given up: the name of its report is another's", context);
  } catch (error) {
    if (!isClusterError(error, "Invalid")) throw error;
    log.error("a schedule's run is given up: its report is refused", { ...context, error: error.message });
  }
  await endSlot(db, id, slot);
}

async function showRefusal(
  deps: ControllerDeps,
  resource: ScheduleResource,
  { reason, message }: ScheduleAdmission & { state: "refused" },
): Promise<number | undefined> {
  const { generation } = resource.metadata;
  const statement = { type: "Ready", status: "False", reason, message } as const;
  const before = resource.status?.conditions ?? [];
  await writeStatus(deps, resource, {
    observedGeneration: generation,
    conditions: setConditions(before, [statement], generation, deps.now()),
  });
  if (!before.some((condition) => condition.reason === reason))
    await recordEvents(deps, resource, [{ type: "Warning", reason: "Refused", message: `${reason}: ${message}` }]);
  return recheckAfterMs(reason);
}

async function writeStatus({ cluster }: ControllerDeps, resource: ScheduleResource, status: ScheduleStatus) {
  if (!isDeepStrictEqual(resource.status, status)) await cluster.updateStatus<"Schedule">({ ...resource, status });
}
