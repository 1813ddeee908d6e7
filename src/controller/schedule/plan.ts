import { dueRunTime, nextRunTime } from "../../domain/schedules/schedule-times.ts";
import type { Refusal } from "../../schema/limits.ts";
import type { ReportResource, ScheduleResource, ScheduleStatus } from "../../schema/resources.ts";
import { type ConditionUpdate, setConditions } from "../conditions.ts";
import type { ReportEvent } from "../report/events.ts";

/** What was observed of one schedule. */
export type ScheduleSnapshot = {
  id: string;
  resource: ScheduleResource;
  row: {
    /** False also while the resource is still active, but its guest account is deleted: no run can be decided. */
    active: boolean;
    nextRunAt: Date | null;
    lastRunAt: Date | null;
    /** Set while a call of the deploy hook waits for a run. */
    hookReportId: string | null;
  };
  /** Why its reports would be refused: then it creates none. */
  refusal?: Refusal;
  /** Whether those whom it declares hear of its runs; undefined when it declares nobody. */
  notifies?: ConditionUpdate | undefined;
  /** The run that is not marked as ended, and the progress of its report; `missing`: not created yet. */
  active?: { slot: Date; reportId: string; report: "missing" | "running" | "ended" };
  /** The schedule's existing Report resources. */
  reports: readonly ReportResource[];
  /** How many finished Report resources are kept. */
  historyLimit: number;
};

export type ScheduleAction =
  /** Decides a run, under the lock that all such decisions take. */
  | { type: "begin-run"; slot: Date; nextRunAt: Date | null }
  | { type: "create-report"; slot: Date; reportId: string }
  | { type: "end-run"; slot: Date }
  | { type: "set-next-run"; nextRunAt: Date | null }
  /** Removes the resource of a finished report; its rows are kept. */
  | { type: "expire-report"; report: ReportResource };

export type SchedulePlan = {
  actions: ScheduleAction[];
  status: ScheduleStatus;
  /** To be recorded once the status is written. */
  events: ReportEvent[];
  /** When to reconcile again without an event; undefined: only after an event. */
  requeueAfterMs?: number;
};

/** The condition that says whether those whom a schedule declares hear of its runs. */
export const NOTIFIES = "Notifies";

/** A schedule is woken when its report ends; this interval is for a lost wake-up. */
const RUNNING_RECHECK_MS = 15_000;
/** The longest wait: timers stop while a machine sleeps, and clocks are adjusted. */
const MAX_WAIT_MS = 300_000;

/**
 * Decides what to do about one schedule; depends only on the snapshot and the time.
 *
 * Each step is stored before the next, so that the next controller can continue from the state that a
 * killed one leaves:
 *
 *     due              → begin-run      a row fixes the run and its report's id
 *     slot, no report  → create-report  name and id are unique
 *     report runs      → (wait)         later slots and hook calls wait, too
 *     report ended     → end-run        then the latest waiting slot
 *
 * A schedule that exceeds the operator's limits creates no reports, and its next run is cleared: once
 * corrected, it continues from then on, and makes up for no missed runs.
 */
export function planSchedule(snapshot: ScheduleSnapshot, now: Date): SchedulePlan {
  const step = nextStep(snapshot, now);
  const history = expired(snapshot).map((report): ScheduleAction => ({ type: "expire-report", report }));
  const actions = step.action ? [step.action, ...history] : history;
  const requeueAfterMs = step.action ? 0 : step.waitMs;
  return {
    actions,
    status: scheduleStatus(snapshot, now),
    events: eventsOf(snapshot, step.action),
    ...(requeueAfterMs === undefined ? {} : { requeueAfterMs }),
  };
}

function eventsOf(snapshot: ScheduleSnapshot, action: ScheduleAction | undefined): ReportEvent[] {
  return [...runEvents(snapshot, action), ...notifyEvents(snapshot)];
}

/** Whoever applied the schedule hears once why somebody hears nothing. */
function notifyEvents({ resource, notifies }: ScheduleSnapshot): ReportEvent[] {
  const before = resource.status?.conditions?.find(({ type }) => type === NOTIFIES);
  if (notifies?.status !== "False" || before?.message === notifies.message) return [];
  return [{ type: "Warning", reason: notifies.reason, message: notifies.message }];
}

function runEvents(snapshot: ScheduleSnapshot, action: ScheduleAction | undefined): ReportEvent[] {
  const { row, resource, refusal } = snapshot;
  const before = resource.status?.conditions?.find(({ type }) => type === "Ready");
  if (refusal && before?.reason !== refusal.reason)
    return [{ type: "Warning", reason: "Refused", message: `${refusal.reason}: ${refusal.message}` }];
  if (action?.type === "create-report")
    return [
      {
        type: "Normal",
        reason: "RunStarted",
        message: `Report ${action.reportId} is created for ${action.slot.toISOString()}.`,
      },
    ];
  if (action?.type !== "begin-run" || !row.nextRunAt || row.nextRunAt >= action.slot || row.hookReportId) return [];
  const [from, to] = [row.nextRunAt.toISOString(), action.slot.toISOString()];
  const message = `Nothing ran from ${from} until ${to}: the previous run was still active, or the controller was not running.`;
  return [{ type: "Warning", reason: "RunsMissed", message }];
}

type Step = { action?: ScheduleAction; waitMs?: number };

function nextStep({ id, resource, row, active, refusal }: ScheduleSnapshot, now: Date): Step {
  const { spec } = resource;
  if (refusal !== undefined && row.nextRunAt) return { action: { type: "set-next-run", nextRunAt: null } };
  if (active) {
    const { slot, reportId, report } = active;
    if (report === "missing" && refusal !== undefined) return { action: { type: "end-run", slot } };
    if (report === "missing") return { action: { type: "create-report", slot, reportId } };
    if (report === "ended") return { action: { type: "end-run", slot } };
    return { waitMs: RUNNING_RECHECK_MS };
  }
  if (!spec.active || !row.active || refusal !== undefined) return {};
  const nextRunAt = nextRunTime(spec.periodicity, id, now) ?? null;
  const due = row.nextRunAt && dueRunTime(spec.periodicity, id, new Date(row.nextRunAt.getTime() - 1), now);
  // One run serves both a waiting slot and a waiting deploy.
  if (due || row.hookReportId) return { action: { type: "begin-run", slot: due ?? now, nextRunAt } };
  if (nextRunAt?.getTime() !== row.nextRunAt?.getTime()) return { action: { type: "set-next-run", nextRunAt } };
  return nextRunAt ? { waitMs: Math.min(nextRunAt.getTime() - now.getTime(), MAX_WAIT_MS) } : {};
}

/** Finished reports beyond the history limit, newest first. */
function expired({ reports, historyLimit }: ScheduleSnapshot): ReportResource[] {
  const ended = (report: ReportResource) => report.status?.completionTime;
  return reports
    .filter((report) => ended(report) !== undefined && report.metadata.deletionTimestamp === undefined)
    .toSorted((a, b) => Date.parse(ended(b) ?? "") - Date.parse(ended(a) ?? ""))
    .slice(historyLimit);
}

function scheduleStatus({ resource, row, active, refusal, notifies }: ScheduleSnapshot, now: Date): ScheduleStatus {
  const { generation } = resource.metadata;
  const runs = active !== undefined && active.report !== "ended";
  return {
    observedGeneration: generation,
    ...(row.lastRunAt && { lastRunTime: row.lastRunAt.toISOString() }),
    ...(row.nextRunAt && { nextRunTime: row.nextRunAt.toISOString() }),
    ...(runs && { active: active.reportId }),
    conditions: setConditions(
      (resource.status?.conditions ?? []).filter(({ type }) => notifies || type !== NOTIFIES),
      [ready(resource, refusal), running(runs ? active.reportId : undefined), ...(notifies ? [notifies] : [])],
      generation,
      now,
    ),
  };
}

function ready({ spec }: ScheduleResource, refusal: Refusal | undefined): ConditionUpdate {
  const type = "Ready";
  if (refusal) return { type, status: "False", reason: refusal.reason, message: refusal.message };
  if (!spec.active) return { type, status: "False", reason: "Inactive", message: "The schedule is not active." };
  if (spec.periodicity.every === "deploy")
    return { type, status: "True", reason: "WaitingForDeploy", message: "The deploy hook starts the runs." };
  return { type, status: "True", reason: "Scheduled", message: "The next run is planned." };
}

function running(reportId: string | undefined): ConditionUpdate {
  const type = "Running";
  if (reportId === undefined)
    return { type, status: "False", reason: "NotRunning", message: "The schedule has no running report." };
  return { type, status: "True", reason: "ReportRunning", message: `Report ${reportId} is running.` };
}
