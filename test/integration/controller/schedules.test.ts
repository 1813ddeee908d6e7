import { expect } from "chai";
import { type Cluster, ClusterError, isClusterError } from "../../../src/cluster/port.ts";
import { admitSchedule } from "../../../src/controller/schedule/admit.ts";
import { reconcileSchedule } from "../../../src/controller/schedule/reconcile.ts";
import { createSchedules } from "../../../src/controller/schedule/schedules.ts";
import { upsertReport } from "../../../src/database/reports/reports.ts";
import { markScheduleDeleted, purgeDeletedSchedules, readSchedule } from "../../../src/database/schedules/schedules.ts";
import { scheduledReportName } from "../../../src/domain/schedules/scheduled-report.ts";
import { annotations, labels, type ReportResource, type ScheduleResource } from "../../../src/schema/resources.ts";
import { beginHookRun, upsertSchedule } from "../../../src/transactions/schedules.ts";
import { insertAccount } from "../../support/builders.ts";
import { setReport } from "../../support/check-counts.ts";
import { controllerDeps, startController, testSettings } from "../../support/controller.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { applySchedule, keyOf, scheduleResource, scheduleWorld } from "../../support/schedules.ts";
import { eventually } from "../../support/wait.ts";

const DAY = 86_400_000;
/** Not the namespace of any row in the database: only followed resources are reconciled. */
const watching = { ...testSettings, watchNamespaces: ["elsewhere"] };

describe("schedules", () => {
  let database: TestDatabase;
  let account: string;
  let world: ReturnType<typeof scheduleWorld>;
  /** 06:00 of the day after tomorrow: the schedules of these tests are due then for the second time. */
  const slot = new Date(Math.ceil(Date.now() / DAY) * DAY + DAY + 6 * 3_600_000);
  const days = (count: number, from = slot) => new Date(from.getTime() + count * DAY);

  before(async () => {
    database = await createTestDatabase();
  });
  beforeEach(async () => {
    account = await insertAccount(database.db);
    world = scheduleWorld(database);
  });
  after(() => database.drop());

  const apply = (spec: Parameters<typeof applySchedule>[2] = {}) => applySchedule(world.cluster, account, spec);
  const row = async (schedule: ScheduleResource) => {
    const found = await readSchedule(database.db, schedule.metadata.uid);
    if (!found) throw new Error("There is no row.");
    return found;
  };
  const live = (schedule: ScheduleResource) => world.cluster.get("Schedule", "default", schedule.metadata.name);

  /** Ends a schedule's reports as the report's own controller would: row first, then status. */
  async function endRuns(schedule: ScheduleResource): Promise<void> {
    for (const report of await world.reports(schedule)) {
      if (report.status?.completionTime) continue;
      await upsertReport(database.db, report, account, report.metadata.annotations?.[annotations.id]);
      await database.db
        .updateTable("reports")
        .set({ phase: "Complete", crawl_state: "ended", completed_at: world.now() })
        .where("id", "=", report.metadata.annotations?.[annotations.id] ?? "")
        .execute();
      await world.cluster.updateStatus<"Report">({
        ...report,
        status: { phase: "Complete", completionTime: world.now().toISOString(), conditions: [] },
      });
    }
  }

  it("create one Report when a run is due, with all of the schedule's attributes", async () => {
    const schedule = await apply({
      initialUrls: ["https://example.com/sitemap.xml"],
      exclusions: ["/private"],
      maxPages: 7,
      rateLimit: 3,
      storeRawHtmlChecks: true,
      storeRawA11yChecks: true,
      storeIncompleteChecks: true,
      storeScreenshot: true,
      basicAuthId: "5f1ab0c4-6a0e-4c5d-9d1c-6c5f7d1f3a52",
      deviceId: "device",
      deviceRotated: true,
      shared: true,
      tags: ["nightly"],
      dynamicCrawler: true,
    });
    world.at(days(-1, slot));
    expect(await world.reconcileAll(schedule)).to.equal(15_000);
    await endRuns(schedule);
    world.at(new Date(slot.getTime() - 60_000));
    expect(await world.reconcileAll(schedule)).to.equal(60_000);
    world.at(slot);
    await world.reconcileAll(schedule);
    const [, report, ...more] = await world.reports(schedule);
    expect(more).to.deep.equal([]);
    const { periodicity: _, active: __, historyLimit: ___, previewHosts: ____, ...spec } = schedule.spec;
    expect(report?.spec).to.deep.equal({ ...spec, baseId: "", cancelled: false });
    expect(report?.metadata.labels).to.deep.equal({ [labels.schedule]: schedule.metadata.uid });
    expect(report?.metadata.annotations?.[annotations.account]).to.equal(account);
    expect(await row(schedule)).to.deep.include({ last_run_at: slot, next_run_at: days(1), account_id: account });
    const found = await live(schedule);
    expect(found?.metadata.annotations?.[annotations.id]).to.equal(schedule.metadata.uid);
    expect(found?.status).to.deep.include({
      lastRunTime: slot.toISOString(),
      nextRunTime: days(1).toISOString(),
      active: report?.metadata.annotations?.[annotations.id],
    });
  });

  it("create one Report for each run, at whatever call a controller is killed, and with two controllers", async () => {
    // Every call to the cluster, before and after its effect; 0 is an undisturbed run.
    for (let killAt = 0; killAt < 12; killAt += 1) {
      for (const after of [false, true]) {
        const schedule = await apply();
        world.at(slot);
        const killed = dying(world.cluster, killAt, after);
        await Promise.allSettled([
          world.reconcileAll(schedule, { cluster: killed }),
          world.reconcileAll(schedule),
          world.reconcileAll(schedule),
        ]);
        await world.reconcileAll(schedule);
        expect(await world.reports(schedule), `killed at ${killAt}`).to.have.length(1);
        await endRuns(schedule);
        await Promise.all([world.reconcileAll(schedule), world.reconcileAll(schedule)]);
        expect(await world.reports(schedule), `killed at ${killAt}`).to.have.length(1);
      }
    }
  });

  it("never create a second Report for a run, even if the first is long gone", async () => {
    const schedule = await apply();
    world.at(slot);
    await world.reconcileAll(schedule);
    const [report] = await world.reports(schedule);
    await endRuns(schedule);
    await world.cluster.delete("Report", "default", report?.metadata.name ?? "");
    // A controller that was stopped just before it recorded that it had created the report.
    await world.reconcileAll(schedule);
    expect(await world.reports(schedule)).to.deep.equal([]);
    await database.db
      .updateTable("schedules")
      .set({ next_run_at: slot })
      .where("id", "=", schedule.metadata.uid)
      .execute();
    expect(await world.reconcileAll(schedule)).to.equal(300_000);
    expect(await world.reports(schedule)).to.deep.equal([]);
  });

  it("make up one missed run, however many were missed", async () => {
    const schedule = await apply();
    world.at(slot);
    await world.reconcileAll(schedule);
    await endRuns(schedule);
    await world.reconcileAll(schedule);
    world.at(new Date(days(40).getTime() + 3_600_000));
    await world.reconcileAll(schedule);
    await endRuns(schedule);
    await world.reconcileAll(schedule);
    expect((await world.reports(schedule)).length).to.equal(2);
    expect((await row(schedule)).next_run_at).to.deep.equal(days(41));
  });

  it("let the next run wait while the last one has not ended", async () => {
    const schedule = await apply();
    world.at(slot);
    await world.reconcileAll(schedule);
    world.at(days(3));
    await world.reconcileAll(schedule);
    expect(await world.reports(schedule)).to.have.length(1);
    await endRuns(schedule);
    await world.reconcileAll(schedule);
    expect(await world.reports(schedule)).to.have.length(2);
    expect((await row(schedule)).next_run_at).to.deep.equal(days(4));
  });

  it("do not run while inactive, and make nothing up when active again", async () => {
    const schedule = await apply({ active: false });
    world.at(slot);
    expect(await world.reconcileAll(schedule)).to.equal(undefined);
    expect((await row(schedule)).next_run_at).to.equal(null);
    const current = await live(schedule);
    if (!current) throw new Error("gone");
    await world.cluster.update<"Schedule">({ ...current, spec: { ...current.spec, active: true } });
    world.at(new Date(slot.getTime() + 1));
    await world.reconcileAll(schedule);
    expect(await world.reports(schedule)).to.deep.equal([]);
    expect((await row(schedule)).next_run_at).to.deep.equal(days(1));
  });

  it("are planned again when their times change", async () => {
    const schedule = await apply();
    world.at(slot);
    await world.reconcileAll(schedule);
    await endRuns(schedule);
    await world.reconcileAll(schedule);
    const current = await live(schedule);
    if (!current) throw new Error("gone");
    world.at(new Date(slot.getTime() + 3_600_000));
    // 06:30 has passed today: it was not due then.
    await world.cluster.update<"Schedule">({
      ...current,
      spec: { ...current.spec, periodicity: { every: "day", at: "06:30" } },
    });
    await world.reconcileAll(schedule);
    expect(await world.reports(schedule)).to.have.length(1);
    expect((await row(schedule)).next_run_at).to.deep.equal(new Date(days(1).getTime() + 1_800_000));
  });

  describe("that are changed by the API while a controller reconciles them", () => {
    const slots = async (schedule: ScheduleResource) => {
      const taken = database.db.selectFrom("schedule_slots").select("slot");
      return (await taken.where("schedule_id", "=", schedule.metadata.uid).execute()).map((row) => row.slot);
    };
    const change = async (schedule: ScheduleResource, spec: Partial<ScheduleResource["spec"]>) => {
      const before = await live(schedule);
      if (!before) throw new Error("gone");
      const changed = await world.cluster.update<"Schedule">({ ...before, spec: { ...before.spec, ...spec } });
      await upsertSchedule(database.db, changed, account, world.now());
    };
    /** Reconciles once; the change comes right after the controller's first `call`. */
    const reconcileWhile = async (
      schedule: ScheduleResource,
      call: "get" | "list",
      changes: () => Promise<unknown>,
    ) => {
      let done = false;
      const read = world.cluster[call] as (...args: unknown[]) => Promise<unknown>;
      const changing = async (...args: unknown[]) => {
        const found = await read(...args);
        if (!done) {
          done = true;
          await changes();
        }
        return found;
      };
      const cluster: Cluster = { ...world.cluster, [call]: changing };
      await reconcileSchedule({ ...world.deps, cluster }, keyOf(schedule)).catch((error) => {
        if (!isClusterError(error, "Conflict")) throw error;
      });
      expect(done).to.equal(true);
    };

    for (const [when, call] of [
      ["before the controller reads the row", "get"],
      ["after it has read all", "list"],
    ] as const)
      it(`keep the times of the change: ${when}`, async () => {
        const schedule = await apply();
        await world.reconcileAll(schedule);
        let planned: Date | null = null;
        const delay = async (at: string) => {
          await change(schedule, { periodicity: { every: "day", at } });
          planned = (await row(schedule)).next_run_at;
        };
        await reconcileWhile(schedule, call, () => delay("06:30"));
        expect(planned).not.to.equal(null);
        expect((await row(schedule)).next_run_at).to.deep.equal(planned);
        // Ten minutes after a time at which only the earlier definition is due.
        world.at(new Date(days(1).getTime() + 2_400_000));
        await reconcileWhile(schedule, call, () => delay("07:00"));
        expect((await row(schedule)).next_run_at).to.deep.equal(planned);
        expect(await slots(schedule)).to.deep.equal([]);
        world.at(new Date(days(1).getTime() + 3_600_000));
        await world.reconcileAll(schedule);
        expect(await slots(schedule)).to.deep.equal([new Date(days(1).getTime() + 3_600_000)]);
      });

    it("run with the new definition when a deploy follows the change at once", async () => {
      const schedule = await apply({ periodicity: { every: "deploy" } });
      await world.reconcileAll(schedule);
      await reconcileWhile(schedule, "get", async () => {
        await change(schedule, { maxPages: 7 });
        await beginHookRun(database.db, schedule.metadata.uid, world.now());
      });
      await world.reconcileAll(schedule);
      const reports = await world.reports(schedule);
      expect(reports.map(({ spec }) => spec.maxPages)).to.deep.equal([7]);
    });
  });

  it("run although the cluster was restored from a backup in which they have an earlier generation", async () => {
    const schedule = await apply();
    await world.reconcileAll(schedule);
    const later = { generation: schedule.metadata.generation + 4 };
    await database.db.updateTable("schedules").set(later).where("id", "=", schedule.metadata.uid).execute();
    world.at(slot);
    await world.reconcileAll(schedule);
    expect(await world.reports(schedule)).to.have.length(1);
  });

  for (const [change, changed] of [
    ["were stopped", { active: false }],
    ["had other times", { periodicity: { every: "day", at: "07:00" } }],
  ] as const)
    it(`run as the restored resource says, although after the backup they ${change}`, async () => {
      const schedule = await apply();
      await world.reconcileAll(schedule);
      const { id, uid, ...later } = await row(schedule);
      const spec = { ...schedule.spec, ...changed };
      await upsertSchedule(
        database.db,
        { ...schedule, metadata: { ...schedule.metadata, uid, generation: Number(later.generation) + 1 }, spec },
        account,
        world.now(),
      );
      await world.reconcileAll(schedule);
      expect(await row(schedule)).to.deep.include({ generation: later.generation, spec: schedule.spec, active: true });
      world.at(slot);
      await world.reconcileAll(schedule);
      const runs = database.db.selectFrom("schedule_slots").select("slot").where("schedule_id", "=", id);
      expect((await runs.execute()).at(-1)).to.deep.equal({ slot });
    });

  it("take over a change by the API to the generation that they had before the restore", async () => {
    const schedule = await apply();
    await world.reconcileAll(schedule);
    const change = async (active: boolean) => {
      const current = await live(schedule);
      if (!current) throw new Error("gone");
      const changed = { ...current, spec: { ...current.spec, active, maxPages: active ? 9 : 8 } };
      return { current, changed };
    };
    const { current, changed } = await change(false);
    const next = { ...changed, metadata: { ...current.metadata, generation: current.metadata.generation + 1 } };
    await upsertSchedule(database.db, next, account, world.now());
    const after = await world.cluster.update<"Schedule">((await change(true)).changed);
    expect(after.metadata.generation).to.equal(next.metadata.generation);
    await upsertSchedule(database.db, after, account, world.now());
    expect(await row(schedule)).to.deep.include({ spec: after.spec, active: true });
  });

  it("follow any number of deploys during a run with one more run", async () => {
    const schedule = await apply({ periodicity: { every: "deploy" } });
    world.at(slot);
    expect(await world.reconcileAll(schedule)).to.equal(undefined);
    const id = schedule.metadata.uid;
    const first = await beginHookRun(database.db, id, slot);
    expect(first?.state).to.equal("started");
    await world.reconcileAll(schedule);
    world.at(days(1));
    const calls = await Promise.all([1, 2, 3].map(() => beginHookRun(database.db, id, days(1))));
    expect(new Set(calls.map((call) => call?.state))).to.deep.equal(new Set(["queued"]));
    expect(new Set(calls.map((call) => call?.reportId)).size).to.equal(1);
    await world.reconcileAll(schedule);
    expect(await world.reports(schedule)).to.have.length(1);
    for (let round = 0; round < 3; round += 1) {
      await endRuns(schedule);
      await world.reconcileAll(schedule);
    }
    const reports = await world.reports(schedule);
    expect(reports.map(idOf)).to.deep.equal([first?.reportId, calls[0]?.reportId]);
  });

  it("remove old Reports beyond their history limit, and keep the rows", async () => {
    const schedule = await apply({ historyLimit: 2 });
    for (let day = 0; day < 4; day += 1) {
      world.at(days(day));
      await world.reconcileAll(schedule);
      await endRuns(schedule);
      await world.reconcileAll(schedule);
    }
    expect(await world.reports(schedule)).to.have.length(2);
    const rows = await database.db
      .selectFrom("reports")
      .select("deleted_at")
      .where("schedule_id", "=", schedule.metadata.uid)
      .execute();
    expect(rows).to.deep.equal([1, 2, 3, 4].map(() => ({ deleted_at: null })));
  });

  it("are gone for readers once their resource is deleted; the current run goes on", async () => {
    const schedule = await apply();
    world.at(slot);
    await world.reconcileAll(schedule);
    await world.cluster.delete("Schedule", "default", schedule.metadata.name);
    await world.reconcileAll(schedule);
    expect((await row(schedule)).deleted_at).to.deep.equal(slot);
    expect((await world.reports(schedule))[0]?.metadata.deletionTimestamp).to.equal(undefined);
    world.at(days(1));
    expect(await world.reconcileAll(schedule)).to.equal(undefined);
    expect(await world.reports(schedule)).to.have.length(1);
  });

  it("are deleted if the API could only delete their rows, which stay as long as that is not possible", async () => {
    const schedule = await apply();
    await world.reconcileAll(schedule);
    await database.db.updateTable("schedules").set({ deleted_at: slot }).execute();
    await purgeDeletedSchedules(database.db, days(1), ["other"]);
    await world.reconcileAll(schedule);
    expect(await live(schedule)).to.equal(undefined);
    await purgeDeletedSchedules(database.db, days(1), ["default"]);
    expect(await database.db.selectFrom("schedules").select("id").execute()).to.deep.equal([]);
  });

  it("keep their ids and runs when they are restored, and make nothing up", async () => {
    const schedule = await apply();
    world.at(slot);
    await world.reconcileAll(schedule);
    await endRuns(schedule);
    await world.reconcileAll(schedule);
    const saved = await live(schedule);
    if (!saved) throw new Error("gone");
    await world.cluster.delete("Schedule", "default", schedule.metadata.name);
    await world.reconcileAll(schedule);
    world.at(days(5));
    await world.cluster.create<"Schedule">(saved);
    await world.reconcileAll(schedule);
    expect(await row(schedule)).to.deep.include({ deleted_at: null, next_run_at: days(6) });
    expect(await world.reports(schedule)).to.have.length(1);
  });

  it("are refused without an account, with an unknown one, and with the id of another Schedule", async () => {
    const other = await apply();
    await world.reconcileAll(other);
    const bad: [string, Record<string, string>][] = [
      ["NoAccount", {}],
      ["NoAccount", { [annotations.account]: "no UUID" }],
      ["NoAccount", { [annotations.account]: "5f1ab0c4-6a0e-4c5d-9d1c-6c5f7d1f3a52" }],
      ["InvalidId", { [annotations.account]: account, [annotations.id]: "x" }],
      ["IdTaken", { [annotations.account]: account, [annotations.id]: other.metadata.uid }],
    ];
    for (const [reason, stamps] of bad) {
      const schedule = await applySchedule(world.cluster, account, {}, { annotations: stamps });
      world.at(slot);
      // A namespace may name its account later.
      expect(await world.reconcileAll(schedule)).to.equal(reason === "NoAccount" ? 30_000 : undefined);
      expect((await live(schedule))?.status?.conditions?.[0]).to.deep.include({
        type: "Ready",
        status: "False",
        reason,
      });
      const message = (await live(schedule))?.status?.conditions?.[0]?.message;
      if (stamps[annotations.account] === undefined)
        expect(message).to.equal("The Schedule has no account: annotate its namespace with sitevalidation.io/account.");
      if (stamps[annotations.account] === "no UUID")
        expect(message).to.match(/\/account is "no UUID"; it must be .*UUID/);
      expect(await world.reports(schedule)).to.deep.equal([]);
    }
  });

  it("are refused while their namespace names another account than theirs, and run again after that", async () => {
    const schedule = await apply();
    await world.reconcileAll(schedule);
    world.at(slot);
    const other = await insertAccount(database.db);
    expect(await world.reconcileAll(schedule, { accountOf: async () => other })).to.equal(30_000);
    const ready = (await live(schedule))?.status?.conditions?.find(({ type }) => type === "Ready");
    expect(ready).to.deep.include({ status: "False", reason: "AccountChanged" });
    expect(await world.reports(schedule)).to.deep.equal([]);
    await world.reconcileAll(schedule);
    expect(await world.reports(schedule)).to.have.length(1);
    expect((await row(schedule)).account_id).to.equal(account);
  });

  it("are refused with characters that PostgreSQL cannot store, but a cluster can", async () => {
    const schedule = await apply();
    const deps = controllerDeps(database, { cluster: world.cluster });
    const admission = await admitSchedule(deps, { ...schedule, spec: { ...schedule.spec, tags: ["a\0b"] } });
    expect(admission).to.deep.include({ state: "refused", reason: "InvalidCharacter" });
  });

  it("give up a run whose Report's name is taken, and go on with the next", async () => {
    const schedule = await apply();
    world.at(slot);
    await world.reconcileAll(schedule);
    const [made] = await world.reports(schedule);
    const twin = await apply({ tags: ["twin"] });
    const name = scheduledReportName({ scheduleId: twin.metadata.uid, name: twin.metadata.name, slot });
    if (!made) throw new Error("no report");
    await world.cluster.create<"Report">({ ...made, metadata: { name, namespace: "default" } });
    await world.reconcileAll(twin);
    expect((await row(twin)).next_run_at).to.deep.equal(days(1));
    world.at(days(1));
    await world.reconcileAll(twin);
    expect(await world.reports(twin)).to.have.length(1);
  });

  it("are run by two controllers, and by one that was started later", async () => {
    const controllers = [1, 2].map(() => startController(database, { now: world.now }));
    try {
      const schedule = await apply();
      await eventually(async () => (await live(schedule))?.status?.nextRunTime);
      world.at(slot);
      await beginHookRun(database.db, schedule.metadata.uid, slot);
      await Promise.all(controllers.map((controller) => controller.stop()));
      controllers.splice(
        0,
        2,
        startController(database, { now: world.now }),
        startController(database, { now: world.now }),
      );
      const report = await eventually(async () => (await world.reports(schedule))[0]);
      await eventually(async () => (await live(schedule))?.status?.active === idOf(report));
      await eventually(async () => {
        const stored = await database.db
          .selectFrom("reports")
          .select("id")
          .where("id", "=", idOf(report) ?? "")
          .executeTakeFirst();
        return stored !== undefined;
      });
      // The end of the report is noticed.
      const failed = { crawl_state: "failed", failure_code: "unreachable" } as const;
      await setReport(database.db, idOf(report) ?? "", { ...failed, html_pending: 0, a11y_pending: 0 });
      await eventually(async () => (await live(schedule))?.status?.active === undefined);
      expect(await world.reports(schedule)).to.have.length(1);
    } finally {
      await Promise.all(controllers.map((controller) => controller.stop()));
    }
  });

  it("run when they are due, without any other event", async () => {
    const schedule = await apply();
    const first = new Date(slot.getTime() - DAY);
    const due = first.getTime() - Date.parse(schedule.metadata.creationTimestamp) > DAY ? days(-1, first) : first;
    const ahead = due.getTime() - 300 - Date.now();
    const controller = startController(database, { now: () => new Date(Date.now() + ahead) });
    try {
      await eventually(async () => (await world.reports(schedule))[0]);
      const { last_run_at: ran } = await row(schedule);
      expect(ran?.getTime()).to.be.at.least(due.getTime());
      expect((await row(schedule)).next_run_at).to.deep.equal(days(1, due));
    } finally {
      await controller.stop();
    }
  });

  it("are reconciled after a change that reverts one that only a list showed", async () => {
    const { metadata } = await apply();
    const state = (step: string) => scheduleResource({}, { ...metadata, annotations: { step } });
    let looks = 0;
    let lists = 0;
    const looked = (times: number) => eventually(() => looks === times);
    const cluster = {
      ...world.cluster,
      get: async () => void looks++,
      list: async () => ({ items: [state(`listed ${++lists}`)], resourceVersion: "1" }),
      async *watch() {
        // The first watch delivers a change, and is lost; the second reverts to that state.
        await looked(lists === 1 ? 1 : 3);
        yield { type: "MODIFIED", object: state("changed") };
        await looked(lists === 1 ? 2 : 4);
        if (lists === 1) throw new ClusterError("Expired", "The version is too old.");
      },
    } as unknown as Cluster;
    const stop = new AbortController();
    const running = createSchedules(controllerDeps(database, { cluster, settings: watching })).run(stop.signal);
    try {
      await looked(4);
    } finally {
      stop.abort();
      await running;
    }
  });

  it("have their rows marked as deleted if they were deleted while no controller ran", async () => {
    const schedule = await apply();
    await world.reconcileAll(schedule);
    await world.cluster.delete("Schedule", "default", schedule.metadata.name);
    const controller = startController(database);
    try {
      await eventually(async () => (await row(schedule)).deleted_at !== null);
    } finally {
      await controller.stop();
    }
  });

  it("are not restored by a controller that is slower than the API's DELETE", async () => {
    const schedule = await apply();
    await world.reconcileAll(schedule);
    await markScheduleDeleted(database.db, schedule.metadata.uid, schedule.metadata.uid, world.now());
    await reconcileSchedule(world.deps, keyOf(schedule));
    expect((await row(schedule)).deleted_at).not.to.equal(null);
    world.at(slot);
    expect(await world.reconcileAll(schedule)).to.equal(undefined);
    expect(await world.reports(schedule)).to.deep.equal([]);
  });
});

function idOf(report: ReportResource): string | undefined {
  return report.metadata.annotations?.[annotations.id];
}

/** A cluster whose n-th write ends the controller, before or after it takes effect. */
function dying(cluster: Cluster, killAt: number, after: boolean): Cluster {
  let calls = 0;
  const wrap =
    <Arguments extends unknown[], Result>(write: (...args: Arguments) => Promise<Result>) =>
    async (...args: Arguments): Promise<Result> => {
      calls += 1;
      if (calls === killAt && !after) throw new Error("killed");
      const result = await write(...args);
      if (calls >= killAt && killAt > 0) throw new Error("killed");
      return result;
    };
  return {
    ...cluster,
    get: wrap(cluster.get) as Cluster["get"],
    create: wrap(cluster.create) as Cluster["create"],
    update: wrap(cluster.update) as Cluster["update"],
    updateStatus: wrap(cluster.updateStatus) as Cluster["updateStatus"],
  };
}
