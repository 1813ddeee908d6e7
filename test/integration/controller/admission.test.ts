import { expect } from "chai";
import { createLocalCluster } from "../../../src/cluster/local/local-cluster.ts";
import type { Cluster } from "../../../src/cluster/port.ts";
import { createReconciler } from "../../../src/controller/report/reconcile.ts";
import { createScheduler } from "../../../src/controller/scheduling/scheduler.ts";
import type { ControllerSettings } from "../../../src/controller/settings.ts";
import { readProgress } from "../../../src/database/reports/progress.ts";
import { setReportShared, upsertReport } from "../../../src/database/reports/reports.ts";
import { readSchedule } from "../../../src/database/schedules/schedules.ts";
import { htmlEngines } from "../../../src/schema/html-engines.ts";
import { labels, type ReportResource, type ScheduleResource } from "../../../src/schema/resources.ts";
import { beginHookRun } from "../../../src/transactions/schedules.ts";
import { insertAccount } from "../../support/builders.ts";
import { createReport, reportDeps, testLog, testSettings } from "../../support/controller.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { applySchedule, scheduleWorld } from "../../support/schedules.ts";

const DAY = 86_400_000;
const limited = { ...testSettings, specLimits: { maxPages: 100, maxRateLimit: 5, htmlEngines } };
const withoutJava = {
  ...testSettings,
  specLimits: { maxPages: 0, maxRateLimit: 0, htmlEngines: ["conformance", "html-validate"] as const },
};
const unlimited = { ...testSettings, specLimits: { maxPages: 0, maxRateLimit: 0, htmlEngines } };

describe("the operator's limits", () => {
  let database: TestDatabase;
  let cluster: Cluster;
  let account: string;

  beforeEach(async () => {
    database = await createTestDatabase();
    cluster = createLocalCluster(database.db, { url: database.url, log: testLog });
    account = await insertAccount(database.db);
  });
  afterEach(() => database.drop());

  const jobs = async () => (await cluster.list("Job")).items;

  describe("on a Report", () => {
    const find = async ({ metadata }: ReportResource) => {
      const found = await cluster.get("Report", metadata.namespace, metadata.name);
      if (!found) throw new Error("The Report is gone.");
      return found;
    };
    const reconcile = async (report: ReportResource, settings: ControllerSettings) => {
      const deps = reportDeps(database, { cluster, settings });
      const scheduler = createScheduler(deps, () => {});
      const { reconcile: once } = createReconciler(deps, scheduler, () => {});
      await once(`default/${report.metadata.name}`);
      await scheduler.pass();
      await once(`default/${report.metadata.name}`);
      return find(report);
    };
    const wishes: [string, { maxPages: number; rateLimit: number }, string][] = [
      ["more pages", { maxPages: 101, rateLimit: 5 }, "maxPages is 101; it must be from 1 to 100."],
      ["all pages", { maxPages: 0, rateLimit: 5 }, "maxPages is 0, which means no limit; it must be from 1 to 100."],
      ["a higher rate", { maxPages: 100, rateLimit: 6 }, "rateLimit is 6; it must be from 1 to 5."],
      ["any rate", { maxPages: 100, rateLimit: 0 }, "rateLimit is 0, which means no limit; it must be from 1 to 5."],
    ];
    for (const [what, spec, sentence] of wishes)
      it(`refuse one that asks for ${what}: it gets neither a row nor a Job`, async () => {
        const report = await createReport(cluster, account, { spec });
        const { status, metadata } = await reconcile(report, limited);
        const failed = status?.conditions?.find(({ type }) => type === "Failed");
        expect(failed).to.deep.include({ status: "True", reason: "LimitExceeded" });
        expect(failed?.message).to.equal(`${sentence} The operator sets these limits.`);
        expect(status).to.deep.include({ phase: "Failed", stopReason: "LimitExceeded" });
        expect(metadata).not.to.have.property("finalizers");
        expect(await readProgress(database.db, report.metadata.uid)).to.equal(undefined);
        expect(await jobs()).to.deep.equal([]);
      });

    it("refuse one whose HTML engine cannot run, and say what to install", async () => {
      const report = await createReport(cluster, account, { spec: { htmlEngine: "nu" } });
      const { status } = await reconcile(report, withoutJava);
      expect(status).to.deep.include({ phase: "Failed", stopReason: "EngineUnavailable" });
      const failed = status?.conditions?.find(({ type }) => type === "Failed");
      expect(failed).to.deep.include({ status: "True", reason: "EngineUnavailable" });
      expect(failed?.message).to.match(/^htmlEngine is "nu", which is not available.* Java .*image\.nu/);
      expect(failed?.message).to.match(/Available: conformance, html-validate\.$/);
      expect(await jobs()).to.deep.equal([]);
      // Once there is a Java.
      expect((await reconcile(report, unlimited)).status?.phase).to.equal("Crawling");
    });

    it("admit one that does not check HTML, whatever its HTML engine", async () => {
      const spec = { htmlEngine: "nu", performHtmlChecks: false, performA11yChecks: true } as const;
      const report = await createReport(cluster, account, { spec });
      expect((await reconcile(report, withoutJava)).status?.phase).to.equal("Crawling");
    });

    it("admit one that asks for as much as is allowed", async () => {
      const report = await createReport(cluster, account, { spec: { maxPages: 100, rateLimit: 5 } });
      expect((await reconcile(report, limited)).status?.phase).to.equal("Crawling");
    });

    it("admit one that asks for no limit where the operator sets none", async () => {
      const report = await createReport(cluster, account, { spec: { maxPages: 0, rateLimit: 0 } });
      expect((await reconcile(report, unlimited)).status?.phase).to.equal("Crawling");
    });

    it("do not affect one that was admitted before they were lowered", async () => {
      const spec = { maxPages: 0, rateLimit: 0 };
      const running = await createReport(cluster, account, { spec });
      await reconcile(running, unlimited);
      expect((await reconcile(running, limited)).status?.phase).to.equal("Crawling");
      const accepted = await createReport(cluster, account, { spec });
      await upsertReport(database.db, accepted, account);
      expect((await reconcile(accepted, limited)).status?.phase).to.equal("Crawling");
    });

    it("admit a refused one after they are raised", async () => {
      const report = await createReport(cluster, account, { spec: { maxPages: 101 } });
      await reconcile(report, limited);
      const { status } = await reconcile(report, unlimited);
      expect(status?.phase).to.equal("Crawling");
      expect(status).not.to.have.property("stopReason");
    });
  });

  describe("on a Schedule", () => {
    /** 06:00 of the day after tomorrow. */
    const slot = new Date(Math.ceil(Date.now() / DAY) * DAY + DAY + 6 * 3_600_000);
    let world: ReturnType<typeof scheduleWorld>;

    beforeEach(() => {
      world = scheduleWorld(database);
    });

    const apply = (spec: Parameters<typeof applySchedule>[2]) => applySchedule(cluster, account, spec);
    const reconcile = (schedule: ScheduleResource, settings: ControllerSettings = limited) =>
      world.reconcileAll(schedule, { settings });
    const ready = async ({ metadata }: ScheduleResource) => {
      const found = await cluster.get("Schedule", metadata.namespace, metadata.name);
      return found?.status?.conditions?.find(({ type }) => type === "Ready");
    };
    const change = async ({ metadata }: ScheduleResource, spec: Partial<ScheduleResource["spec"]>) => {
      const found = await cluster.get("Schedule", metadata.namespace, metadata.name);
      if (!found) throw new Error("The Schedule is gone.");
      await cluster.update<"Schedule">({ ...found, spec: { ...found.spec, ...spec } });
    };

    it("refuse one that asks for more: it says so, creates no report, and runs once it is corrected", async () => {
      const schedule = await apply({ maxPages: 0, rateLimit: 6 });
      world.at(slot);
      expect(await reconcile(schedule)).to.equal(undefined);
      const refused = await ready(schedule);
      expect(refused).to.deep.include({ status: "False", reason: "LimitExceeded" });
      expect(refused?.message).to.contain("maxPages is 0, which means no limit; it must be from 1 to 100.");
      expect(refused?.message).to.contain("rateLimit is 6; it must be from 1 to 5.");
      expect(await world.reports(schedule)).to.deep.equal([]);

      await change(schedule, { maxPages: 100, rateLimit: 5 });
      await reconcile(schedule);
      expect(await ready(schedule)).to.deep.include({ status: "True", reason: "Scheduled" });
      expect(await world.reports(schedule), "what came due meanwhile is not made up for").to.deep.equal([]);
      world.at(new Date(slot.getTime() + DAY));
      await reconcile(schedule);
      expect(await world.reports(schedule)).to.have.length(1);
    });

    it("refuse one whose HTML engine cannot run, until it can", async () => {
      const schedule = await apply({ htmlEngine: "nu" });
      world.at(slot);
      await reconcile(schedule, withoutJava);
      expect(await ready(schedule)).to.deep.include({ status: "False", reason: "EngineUnavailable" });
      expect(await world.reports(schedule)).to.deep.equal([]);
      await change(schedule, { htmlEngine: "html-validate" });
      await reconcile(schedule, withoutJava);
      expect(await ready(schedule)).to.deep.include({ status: "True", reason: "Scheduled" });
      world.at(new Date(slot.getTime() + DAY));
      await reconcile(schedule, withoutJava);
      const [report] = await world.reports(schedule);
      expect(report?.spec.htmlEngine, "a report has its schedule's engine").to.equal("html-validate");
    });

    it("stop one that ran before they were lowered, but let its report go on", async () => {
      const schedule = await apply({ maxPages: 101 });
      world.at(slot);
      await reconcile(schedule, unlimited);
      const [report] = await world.reports(schedule);
      if (!report) throw new Error("There is no report.");
      await upsertReport(database.db, report, account);
      await reconcile(schedule);
      expect(await ready(schedule)).to.deep.include({ status: "False", reason: "LimitExceeded" });
      const found = await cluster.get("Schedule", "default", schedule.metadata.name);
      expect(found?.status?.active).to.be.a("string");
      expect((await readSchedule(database.db, schedule.metadata.uid))?.next_run_at).to.equal(null);
    });

    it("give up a run that was decided before they were lowered and has no report yet", async () => {
      const schedule = await apply({ maxPages: 101, periodicity: { every: "deploy" } });
      await reconcile(schedule, unlimited);
      expect(await beginHookRun(database.db, schedule.metadata.uid, world.now())).to.deep.include({ state: "started" });
      await reconcile(schedule);
      const made = await cluster.list("Report", { labels: { [labels.schedule]: schedule.metadata.uid } });
      expect(made.items).to.deep.equal([]);
      expect(await ready(schedule)).to.deep.include({ status: "False", reason: "LimitExceeded" });
      await reconcile(schedule, unlimited);
      expect(await ready(schedule)).to.deep.include({ status: "True", reason: "WaitingForDeploy" });
    });
  });
});

describe("the account of an admitted Report", () => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => database.drop());

  for (const [change, named] of [
    ["names another account", insertAccount],
    ["is removed", async () => undefined],
  ] as const)
    it(`stays the same after its namespace's annotation ${change}: the report goes on`, async () => {
      const { db } = database;
      const cluster = createLocalCluster(db, { url: database.url, log: testLog });
      const account = await insertAccount(db);
      let annotated: string | undefined = account;
      let lookups = 0;
      const accountOf = async () => {
        lookups += 1;
        return annotated;
      };
      const deps = reportDeps(database, { cluster, accountOf });
      const scheduler = createScheduler(deps, () => {});
      const { reconcile } = createReconciler(deps, scheduler, () => {});
      const report = await createReport(cluster, account);
      const key = `default/${report.metadata.name}`;
      await reconcile(key);
      await scheduler.pass();
      await reconcile(key);
      annotated = await named(db);
      await reconcile(key);
      const running = await cluster.get("Report", "default", report.metadata.name);
      expect(running?.status?.phase).to.equal("Crawling");
      expect(await readProgress(db, report.metadata.uid)).to.deep.include({ accountId: account, phase: "Crawling" });
      expect(lookups, "only a Report without a row has its account looked up").to.equal(1);

      if (!running) throw new Error("The report is gone.");
      await cluster.update<"Report">({ ...running, spec: { ...running.spec, shared: true, cancelled: true } });
      await reconcile(key);
      const { shared, spec } = await database.db
        .selectFrom("reports")
        .select(["shared", "spec"])
        .where("id", "=", report.metadata.uid)
        .executeTakeFirstOrThrow();
      expect({ shared, cancelled: spec.cancelled }).to.deep.equal({ shared: false, cancelled: true });
    });

  it("is not shared again by its resource once it was unshared without it", async () => {
    const { db } = database;
    const cluster = createLocalCluster(db, { url: database.url, log: testLog });
    const deps = reportDeps(database, { cluster });
    const scheduler = createScheduler(deps, () => {});
    const { reconcile } = createReconciler(deps, scheduler, () => {});
    const report = await createReport(cluster, await insertAccount(db), { spec: { shared: true } });
    const key = `default/${report.metadata.name}`;
    await reconcile(key);
    await setReportShared(db, report.metadata.uid, false);
    await reconcile(key);
    const unshared = await cluster.get("Report", "default", report.metadata.name);
    if (!unshared) throw new Error("The report is gone.");
    expect(unshared.spec.shared).to.equal(false);
    await cluster.update<"Report">({ ...unshared, spec: { ...unshared.spec, tags: ["later"] } });
    await reconcile(key);
    expect(await readProgress(db, report.metadata.uid)).to.deep.include({ shared: false });
  });
});
