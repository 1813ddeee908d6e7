import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { createLocalCluster } from "../../../src/cluster/local/local-cluster.ts";
import type { Cluster } from "../../../src/cluster/port.ts";
import { reconcileSchedule } from "../../../src/controller/schedule/reconcile.ts";
import { scheduledReport } from "../../../src/domain/schedules/scheduled-report.ts";
import { annotations, labels, type ReportResource, type ScheduleResource } from "../../../src/schema/resources.ts";
import { beginHookRun, upsertSchedule } from "../../../src/transactions/schedules.ts";
import { insertAccount } from "../../support/builders.ts";
import {
  controllerDeps,
  createReport,
  type RunningService,
  startController,
  testLog,
  testSettings,
} from "../../support/controller.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { applySchedule } from "../../support/schedules.ts";
import { eventually } from "../../support/wait.ts";

/** Whoever may edit a resource chooses its annotations, labels and name: none of them decides which rows are its own. */
describe("the identity of a resource", () => {
  let database: TestDatabase;
  let cluster: Cluster;
  let account: string;
  let controller: RunningService | undefined;

  beforeEach(async () => {
    database = await createTestDatabase();
    cluster = createLocalCluster(database.db, { url: database.url, log: testLog });
    account = await insertAccount(database.db);
  });
  afterEach(async () => {
    await controller?.stop();
    controller = undefined;
    await database.drop();
  });

  const get = (report: ReportResource) => cluster.get("Report", "default", report.metadata.name);
  const rows = () => database.db.selectFrom("reports").selectAll().orderBy("inserted_at").execute();
  const jobs = async () => (await cluster.list("Job")).items;
  const idOf = (resource: ReportResource | ScheduleResource | undefined) =>
    resource?.metadata.annotations?.[annotations.id];
  const inPhase = async (report: ReportResource, phase: string) => {
    const found = await get(report);
    return found?.status?.phase === phase && found;
  };
  const shows = (report: ReportResource, phase: string) => eventually(() => inPhase(report, phase));
  const gone = (report: ReportResource) => eventually(async () => (await get(report)) === undefined);

  /** What `kubectl annotate --overwrite` does; undefined removes the annotation. */
  async function annotate(report: ReportResource, name: string, value: string | undefined): Promise<void> {
    await eventually(async () => {
      const found = await get(report);
      if (!found) throw new Error("The Report is gone.");
      const changed = { ...found.metadata.annotations, [name]: value };
      const kept = Object.fromEntries(Object.entries(changed).filter((entry): entry is [string, string] => !!entry[1]));
      return cluster
        .update<"Report">({ ...found, metadata: { ...found.metadata, annotations: kept } })
        .catch(() => undefined);
    });
  }

  /** Ends a running report as its programs would. */
  async function finish(report: ReportResource): Promise<ReportResource> {
    await database.db
      .updateTable("reports")
      .set({ crawl_state: "ended" })
      .where("uid", "=", report.metadata.uid)
      .execute();
    await annotate(report, "example.com/look", "now");
    return shows(report, "Complete");
  }

  /** What a restore of the cluster makes: the same object with another uid, and without its status. */
  function restore(
    { metadata, spec, apiVersion, kind }: ReportResource,
    changes: Partial<ReportResource["spec"]> = {},
  ) {
    const {
      uid: _,
      resourceVersion: __,
      generation: ___,
      creationTimestamp: ____,
      deletionTimestamp: _____,
      ...kept
    } = metadata;
    return cluster.create<"Report">({ apiVersion, kind, metadata: kept, spec: { ...spec, ...changes } });
  }

  describe("of a Report that runs", () => {
    const edits: [string, (other: string) => string | undefined][] = [
      ["another UUID", () => randomUUID()],
      ["no UUID", () => "'; drop table reports"],
      ["the id of another Report", (other) => other],
      ["nothing", () => undefined],
    ];
    for (const [what, value] of edits)
      it(`stays when its annotation is changed to ${what}: one row, the same Jobs, the annotation corrected`, async () => {
        controller = startController(database);
        const other = await createReport(cluster, account, { name: "other" });
        const report = await createReport(cluster, account, { name: "edited" });
        await eventually(async () => (await jobs()).length === 4);
        const before = (await jobs()).map(({ metadata }) => metadata.uid).sort();
        await annotate(report, annotations.id, value(other.metadata.uid));
        await eventually(async () => idOf(await get(report)) === report.metadata.uid);
        expect((await rows()).map(({ id }) => id).sort()).to.deep.equal(
          [other.metadata.uid, report.metadata.uid].sort(),
        );
        expect((await jobs()).map(({ metadata }) => metadata.uid).sort()).to.deep.equal(before);
      });

    it("gives no second place among the running reports, however often it is edited", async () => {
      const settings = { ...testSettings, maxRunningReports: 2 };
      controller = startController(database, { settings });
      const report = await createReport(cluster, account, { name: "edited" });
      await shows(report, "Crawling");
      for (let edit = 0; edit < 5; edit += 1) {
        await annotate(report, annotations.id, randomUUID());
        await eventually(async () => idOf(await get(report)) === report.metadata.uid);
      }
      const second = await createReport(cluster, account, { name: "second" });
      await shows(second, "Crawling");
      expect(await rows()).to.have.length(2);
      expect(await jobs()).to.have.length(4);
    });

    it("decides what is deleted with it: its own rows and Jobs, not those of the report that its annotation names", async () => {
      controller = startController(database);
      const victim = await createReport(cluster, account, { name: "victim" });
      const report = await createReport(cluster, account, { name: "edited" });
      await eventually(async () => (await jobs()).length === 4);
      await controller.stop();
      controller = undefined;
      await annotate(report, annotations.id, victim.metadata.uid);
      await cluster.delete("Report", "default", "edited");
      controller = startController(database);
      await gone(report);
      const deleted = new Map((await rows()).map(({ id, deleted_at }) => [id, deleted_at !== null]));
      expect(deleted.get(report.metadata.uid)).to.equal(true);
      expect(deleted.get(victim.metadata.uid)).to.equal(false);
      expect((await jobs()).map(({ metadata }) => metadata.labels?.[labels.report])).to.deep.equal(
        Array(2).fill(victim.metadata.uid),
      );
    });

    it("is gone with its resource, although an annotation says that rows of a finished one are kept", async () => {
      controller = startController(database);
      const report = await createReport(cluster, account);
      await eventually(async () => (await jobs()).length === 2);
      await annotate(report, annotations.keepRows, "true");
      await cluster.delete("Report", "default", report.metadata.name);
      await gone(report);
      expect((await rows())[0]?.deleted_at).to.be.instanceOf(Date);
    });

    it("does not become a run of another account's schedule by its label", async () => {
      const schedule = await applySchedule(cluster, await insertAccount(database.db));
      const owner = schedule.metadata.annotations?.[annotations.account] ?? "";
      await upsertSchedule(database.db, schedule, owner, new Date());
      const own = await applySchedule(cluster, account);
      await upsertSchedule(database.db, own, account, new Date());
      controller = startController(database);
      const marks = { annotations: { [annotations.account]: account } };
      for (const { metadata } of [schedule, own])
        await createReport(cluster, account, {
          name: `of-${metadata.name}`,
          metadata: { ...marks, labels: { [labels.schedule]: metadata.uid } },
        });
      await eventually(async () => (await rows()).length === 2);
      expect((await rows()).map(({ schedule_id }) => schedule_id).toSorted()).to.deep.equal([own.metadata.uid, null]);
    });
  });

  describe("of a Report that was restored", () => {
    it("is the one that it had: a finished report keeps its id and results, and does not run again", async () => {
      controller = startController(database);
      const report = await createReport(cluster, account, { name: "finished" });
      await eventually(async () => (await jobs()).length === 2);
      const finished = await finish(report);
      await cluster.delete("Report", "default", "finished");
      await gone(report);
      const restored = await restore(finished);
      expect(restored.metadata.uid).to.not.equal(report.metadata.uid);
      const shown = await shows(restored, "Complete");
      expect(idOf(shown)).to.equal(report.metadata.uid);
      expect(shown.status?.completionTime).to.equal(finished.status?.completionTime);
      const [row, ...more] = await rows();
      expect(more).to.deep.equal([]);
      expect(row).to.deep.include({ id: report.metadata.uid, uid: restored.metadata.uid, deleted_at: null });
      expect(await jobs()).to.deep.equal([]);
      // It follows its new resource from now on.
      await cluster.delete("Report", "default", "finished");
      await gone(restored);
      expect((await rows())[0]?.deleted_at).to.be.instanceOf(Date);
    });

    it("goes on where it was, if it had not ended", async () => {
      controller = startController(database);
      const report = await createReport(cluster, account, { name: "running" });
      const running = await shows(report, "Crawling");
      await eventually(async () => (await jobs()).length === 2);
      await cluster.delete("Report", "default", "running");
      await gone(report);
      const restored = await restore(running);
      await shows(restored, "Crawling");
      await eventually(async () => (await jobs()).length === 2);
      expect(await rows()).to.have.length(1);
      // Its earlier Jobs are known by their numbers.
      expect((await jobs()).map(({ metadata }) => metadata.labels?.[labels.run])).to.deep.equal(["2", "2"]);
      expect((await jobs()).map(({ metadata }) => metadata.labels?.[labels.report])).to.deep.equal(
        Array(2).fill(report.metadata.uid),
      );
    });

    it("is not shared by the backup, if it is not any more", async () => {
      controller = startController(database);
      const report = await createReport(cluster, account, { name: "shared", spec: { shared: true } });
      await eventually(async () => (await jobs()).length === 2);
      const finished = await finish(report);
      await cluster.delete("Report", "default", "shared");
      await gone(report);
      await database.db.updateTable("reports").set({ shared: false }).execute();
      const restored = await restore(finished);
      await eventually(async () => (await get(restored))?.spec.shared === false);
      expect((await rows()).map(({ shared }) => shared)).to.deep.equal([false]);
    });

    it("is refused with another definition, under another name, by another account, and once its rows are gone", async () => {
      controller = startController(database);
      const report = await createReport(cluster, account, { name: "finished" });
      await eventually(async () => (await jobs()).length === 2);
      const finished = await finish(report);
      await cluster.delete("Report", "default", "finished");
      await gone(report);
      const attempts: [string, () => Promise<ReportResource>][] = [
        ["IdTaken", () => restore(finished, { maxPages: 1_000_000 })],
        ["IdTaken", () => restore({ ...finished, metadata: { ...finished.metadata, name: "copy" } })],
        [
          "IdTaken",
          async () => {
            const marks = {
              [annotations.account]: await insertAccount(database.db),
              [annotations.id]: report.metadata.uid,
            };
            return restore({ ...finished, metadata: { ...finished.metadata, annotations: marks } });
          },
        ],
        [
          "IdUnknown",
          async () => {
            const longAgo = new Date(Date.now() - 2 * 86_400_000);
            await database.db.updateTable("reports").set({ deleted_at: longAgo }).execute();
            return restore(finished);
          },
        ],
      ];
      for (const [reason, attempt] of attempts) {
        const refused = await shows(await attempt(), "Failed");
        expect(refused.status?.stopReason).to.equal(reason);
        expect(refused.status?.conditions?.find(({ type }) => type === "Failed")?.message).to.match(
          /^sitevalidation\.io\/id is ".{36}", .*Remove the annotation, and it runs as a new report\.$/,
        );
        await cluster.delete("Report", "default", refused.metadata.name);
        await gone(refused);
      }
      expect(await jobs()).to.deep.equal([]);
      expect((await rows())[0]).to.deep.include({ id: report.metadata.uid, uid: report.metadata.uid });
    });

    it("runs as a new report once the annotation is removed", async () => {
      controller = startController(database);
      const marks = { [annotations.account]: account, [annotations.id]: randomUUID() };
      const report = await createReport(cluster, account, { metadata: { annotations: marks } });
      expect((await shows(report, "Failed")).status?.stopReason).to.equal("IdUnknown");
      await annotate(report, annotations.id, undefined);
      await shows(report, "Crawling");
      expect((await rows()).map(({ id }) => id)).to.deep.equal([report.metadata.uid]);
    });
  });

  describe("of a schedule's Report", () => {
    it("is the one that was decided with the run, whatever its annotation says before it has a row", async () => {
      const schedule = await applySchedule(cluster, account);
      await upsertSchedule(database.db, schedule, account, new Date());
      const run = await beginHookRun(database.db, schedule.metadata.uid, new Date());
      if (run?.state !== "started") throw new Error("The run was not started.");
      const { namespace, name, uid } = schedule.metadata;
      const { slot, reportId } = run;
      const made = scheduledReport({
        ...{ scheduleId: uid, accountId: account, guestToken: null, namespace, name, spec: schedule.spec },
        ...{ slot, reportId },
      });
      const edited = { ...made.metadata.annotations, [annotations.id]: randomUUID() };
      const report = await cluster.create<"Report">({ ...made, metadata: { ...made.metadata, annotations: edited } });
      // The schedule may be looked at before its Report: it finds its run's by place, name and label, too.
      await reconcileSchedule(controllerDeps(database), `${namespace}/${name}`);
      controller = startController(database);
      await shows(report, "Crawling");
      expect((await rows()).map(({ id, schedule_id }) => ({ id, schedule_id }))).to.deep.equal([
        { id: reportId, schedule_id: uid },
      ]);
      expect(idOf(await get(report))).to.equal(reportId);
    });
  });

  describe("of a Schedule", () => {
    const scheduleRows = () => database.db.selectFrom("schedules").selectAll().execute();
    const live = (schedule: ScheduleResource) => cluster.get("Schedule", "default", schedule.metadata.name);

    for (const value of [randomUUID(), "no UUID", undefined])
      it(`stays when its annotation is changed to ${value === undefined ? "nothing" : value.slice(0, 7)}: one row, one hook`, async () => {
        controller = startController(database);
        const schedule = await applySchedule(cluster, account);
        const id = schedule.metadata.uid;
        await eventually(async () => idOf(await live(schedule)) === id);
        await eventually(async () => {
          const found = await live(schedule);
          if (!found) throw new Error("The Schedule is gone.");
          const { [annotations.id]: _, ...others } = found.metadata.annotations ?? {};
          const marks = value === undefined ? others : { ...others, [annotations.id]: value };
          return cluster
            .update<"Schedule">({ ...found, metadata: { ...found.metadata, annotations: marks } })
            .catch(() => undefined);
        });
        await eventually(async () => idOf(await live(schedule)) === id);
        const found = await scheduleRows();
        expect(found.map((row) => [row.id, row.deleted_at])).to.deep.equal([[id, null]]);
      });

    it("that was restored without its row is kept, unless reports of another account name it", async () => {
      controller = startController(database);
      const [free, others] = [randomUUID(), randomUUID()];
      const stranger = await insertAccount(database.db);
      const report = await createReport(cluster, stranger);
      await shows(report, "Crawling");
      await database.db.updateTable("reports").set({ schedule_id: others }).execute();
      const marks = (id: string) => ({ annotations: { [annotations.account]: account, [annotations.id]: id } });
      const kept = await applySchedule(cluster, account, {}, marks(free));
      const refused = await applySchedule(cluster, account, {}, marks(others));
      const ready = async (schedule: ScheduleResource) =>
        (await live(schedule))?.status?.conditions?.find(({ type }) => type === "Ready")?.reason;
      await eventually(async () => (await ready(kept)) === "Scheduled");
      await eventually(async () => (await ready(refused)) === "IdTaken");
      expect((await scheduleRows()).map(({ id }) => id)).to.deep.equal([free]);
    });
  });
});
