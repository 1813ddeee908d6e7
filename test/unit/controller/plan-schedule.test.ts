import { expect } from "chai";
import { planSchedule, type ScheduleSnapshot } from "../../../src/controller/schedule/plan.ts";
import type { Refusal } from "../../../src/schema/limits.ts";
import type { ReportResource } from "../../../src/schema/resources.ts";
import type { ScheduleSpec } from "../../../src/schema/schedule.ts";
import { reportResource } from "../../support/builders.ts";
import { scheduleResource } from "../../support/schedules.ts";

const time = (text: string) => new Date(`2026-${text}:00Z`);
const REPORT = "00000000-0000-4000-8000-000000000001";

type Options = {
  spec?: Partial<ScheduleSpec>;
  next?: Date | null;
  last?: Date | null;
  hook?: string | null;
  /** Whether the row says that it runs. */
  rowActive?: boolean;
  active?: ScheduleSnapshot["active"];
  refusal?: Refusal;
  reports?: ReportResource[];
};

function snapshot({
  spec,
  next = null,
  last = null,
  hook = null,
  rowActive = spec?.active ?? true,
  active,
  refusal,
  reports = [],
}: Options): ScheduleSnapshot {
  const resource = scheduleResource(spec);
  return {
    id: resource.metadata.uid,
    resource,
    row: { active: rowActive, nextRunAt: next, lastRunAt: last, hookReportId: hook },
    ...(active && { active }),
    ...(refusal && { refusal }),
    reports,
    historyLimit: 2,
  };
}

const plan = (options: Options, now: Date) => {
  const { actions, requeueAfterMs } = planSchedule(snapshot(options), now);
  return { actions, requeueAfterMs };
};

const now = time("03-10T06:00");
const slot = time("03-10T06:00");
const tomorrow = time("03-11T06:00");
const deploy = { periodicity: { every: "deploy" } } as const;
const inactive = { active: false };
const refusal: Refusal = { reason: "LimitExceeded", message: "maxPages is 0." };
const running = (report: "missing" | "running" | "ended") => ({ slot, reportId: REPORT, report });

describe("the plan for a schedule", () => {
  const take = (slotTime: Date, nextRunAt: Date | null) => ({ type: "begin-run", slot: slotTime, nextRunAt });

  const table: [string, Options, Date, unknown][] = [
    ["waits for its next slot", { next: tomorrow }, now, { actions: [], requeueAfterMs: 300_000 }],
    [
      "waits no longer than until that slot",
      { next: slot },
      time("03-10T05:59"),
      { actions: [], requeueAfterMs: 60_000 },
    ],
    [
      "starts no run while its row says that it is stopped",
      { next: slot, rowActive: false },
      now,
      { actions: [], requeueAfterMs: undefined },
    ],
    ["runs when a slot is due", { next: slot }, now, { actions: [take(slot, tomorrow)], requeueAfterMs: 0 }],
    [
      "makes up the latest of many missed slots, once",
      { next: time("01-02T06:00") },
      time("03-10T07:00"),
      { actions: [take(slot, tomorrow)], requeueAfterMs: 0 },
    ],
    [
      "plans the next run if the row has none",
      {},
      now,
      { actions: [{ type: "set-next-run", nextRunAt: tomorrow }], requeueAfterMs: 0 },
    ],
    ["does not run while inactive", { spec: inactive, next: slot }, now, { actions: [], requeueAfterMs: undefined }],
    [
      "does not run for a hook while inactive",
      { spec: inactive, hook: REPORT },
      now,
      { actions: [], requeueAfterMs: undefined },
    ],
    ["waits for deploys if it has no times", { spec: deploy }, now, { actions: [], requeueAfterMs: undefined }],
    [
      "runs for a waiting deploy",
      { spec: deploy, hook: REPORT },
      now,
      { actions: [take(now, null)], requeueAfterMs: 0 },
    ],
    [
      "serves a slot and a deploy with one run",
      { next: slot, hook: REPORT },
      time("03-10T06:30"),
      { actions: [take(slot, tomorrow)], requeueAfterMs: 0 },
    ],
    [
      "creates the report of a decided run",
      { next: tomorrow, active: running("missing") },
      now,
      { actions: [{ type: "create-report", slot, reportId: REPORT }], requeueAfterMs: 0 },
    ],
    [
      "creates the report of a decided run even if the schedule is inactive by now",
      { spec: inactive, active: running("missing") },
      now,
      { actions: [{ type: "create-report", slot, reportId: REPORT }], requeueAfterMs: 0 },
    ],
    [
      "forgets the next run of a refused schedule",
      { refusal, next: slot, active: running("running") },
      now,
      { actions: [{ type: "set-next-run", nextRunAt: null }], requeueAfterMs: 0 },
    ],
    [
      "runs neither a slot nor a deploy of a refused schedule",
      { refusal, hook: REPORT },
      now,
      { actions: [], requeueAfterMs: undefined },
    ],
    [
      "gives up a decided run of a refused schedule",
      { refusal, active: running("missing") },
      now,
      { actions: [{ type: "end-run", slot }], requeueAfterMs: 0 },
    ],
    [
      "lets a refused schedule's report go on",
      { refusal, active: running("running") },
      now,
      { actions: [], requeueAfterMs: 15_000 },
    ],
    [
      "does not start the next run while the last one runs",
      { next: slot, hook: REPORT, active: running("running") },
      time("03-12T06:00"),
      { actions: [], requeueAfterMs: 15_000 },
    ],
    [
      "ends a run before it starts the next",
      { next: slot, active: running("ended") },
      now,
      { actions: [{ type: "end-run", slot }], requeueAfterMs: 0 },
    ],
  ];
  for (const [name, options, at, expected] of table)
    it(name, () => {
      expect(plan(options, at)).to.deep.equal(expected);
    });

  it("removes finished reports beyond its history, the oldest", () => {
    const ended = (day: string) => ({
      ...reportResource({}, { name: day }),
      status: { phase: "Complete" as const, completionTime: `2026-03-${day}T07:00:00.000Z` },
    });
    const reports = [ended("02"), ended("04"), reportResource({}, { name: "running" }), ended("01"), ended("03")];
    const { actions } = plan({ next: tomorrow, reports }, now);
    expect(actions.map((action) => "report" in action && action.report.metadata.name)).to.deep.equal(["02", "01"]);
  });

  it("sets a status with the last run, the next run and the current one", () => {
    const { status } = planSchedule(snapshot({ next: tomorrow, last: slot, active: running("running") }), now);
    expect(status).to.deep.include({
      observedGeneration: 1,
      lastRunTime: "2026-03-10T06:00:00.000Z",
      nextRunTime: "2026-03-11T06:00:00.000Z",
      active: REPORT,
    });
    expect(status.conditions?.map(({ type, status: state, reason }) => `${type}=${state} ${reason}`)).to.deep.equal([
      "Ready=True Scheduled",
      "Running=True ReportRunning",
    ]);
    const off = planSchedule(snapshot({ spec: inactive }), now).status;
    expect(off).to.have.all.keys("observedGeneration", "conditions");
    expect(off.conditions?.map(({ reason }) => reason)).to.deep.equal(["Inactive", "NotRunning"]);
  });

  it("records events for a run and for missed runs only", () => {
    const eventsOf = (options: Options, at: Date) =>
      planSchedule(snapshot(options), at).events.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
    expect(eventsOf({ next: tomorrow, active: running("missing") }, now)).to.deep.equal([
      `Normal RunStarted: Report ${REPORT} is created for 2026-03-10T06:00:00.000Z.`,
    ]);
    expect(eventsOf({ next: time("03-08T06:00") }, time("03-10T07:00"))).to.deep.equal([
      "Warning RunsMissed: Nothing ran from 2026-03-08T06:00:00.000Z until 2026-03-10T06:00:00.000Z: the previous run was still active, or the controller was not running.",
    ]);
    expect(eventsOf({ refusal }, now)).to.deep.equal(["Warning Refused: LimitExceeded: maxPages is 0."]);
    for (const options of [{ next: slot }, { next: tomorrow }, { next: tomorrow, active: running("running") }])
      expect(eventsOf(options, now)).to.deep.equal([]);
  });
});
