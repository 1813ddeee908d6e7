import { expect } from "chai";
import { createScheduler, type Scheduler } from "../../../src/controller/scheduling/scheduler.ts";
import type { ControllerSettings } from "../../../src/controller/settings.ts";
import { readProgress, setPhase } from "../../../src/database/reports/progress.ts";
import { type JobResource, labels } from "../../../src/schema/resources.ts";
import { endReport } from "../../../src/transactions/end-report.ts";
import { insertAccount, insertReport } from "../../support/builders.ts";
import { setReport } from "../../support/check-counts.ts";
import { controllerDeps, testSettings } from "../../support/controller.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { countStatements } from "../../support/statements.ts";
import { eventually } from "../../support/wait.ts";

describe("the scheduler", () => {
  let database: TestDatabase;
  let account: string;
  let other: string;
  let woken: string[];
  let now: Date;

  beforeEach(async () => {
    database = await createTestDatabase();
    account = await insertAccount(database.db);
    other = await insertAccount(database.db);
    woken = [];
    now = new Date("2026-01-01T00:00:00Z");
  });
  afterEach(() => database.drop());

  const start = (settings: Partial<ControllerSettings> = {}, db = database.db): Scheduler =>
    createScheduler(
      controllerDeps(database, { db, settings: { ...testSettings, ...settings } }),
      (key) => woken.push(key),
      () => now.getTime(),
    );
  /** A waiting report with HTML checks to do. */
  const insert = async (accountId: string, pending = 0): Promise<string> => {
    const id = await insertReport(database.db, { accountId });
    await setReport(database.db, id, { html_pending: pending });
    return id;
  };
  const grantOf = async (scheduler: Scheduler, id: string, jobs: JobResource[] = []) => {
    const row = await readProgress(database.db, id);
    if (!row) throw new Error(`There is no report ${id}.`);
    return scheduler.grantOf(row, jobs);
  };
  /** A report's HTML checker Job, and how many pods it has. */
  const job = (id: string, parallelism: number, pods: Partial<JobResource["status"]> = { active: parallelism }) =>
    ({
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: {
        name: `job-${id}`,
        namespace: "default",
        uid: `job-${id}`,
        resourceVersion: "1",
        generation: 1,
        creationTimestamp: now.toISOString(),
        labels: { [labels.report]: id, [labels.stage]: "html-checker" },
      },
      spec: { parallelism, template: { spec: { restartPolicy: "Never", containers: [] } } },
      status: pods,
    }) as JobResource;
  const pods = (count: number) => ({ run: true, checkers: { "html-checker": count } });
  const waits = { run: false, checkers: {} };

  it("wakes a new report that waits for a pass, whether it may run or has to wait longer", async () => {
    const scheduler = start({ maxRunningReports: 1 });
    const ids = [await insert(account), await insert(account)];
    const rows = await Promise.all(ids.map((id) => readProgress(database.db, id)));
    for (const row of rows) expect(row && scheduler.requestGrant(row)).to.equal(false);
    await scheduler.pass();
    expect(woken).to.have.members(rows.map((row) => `default/${row?.name}`));
    for (const row of rows) expect(row && scheduler.requestGrant(row)).to.equal(true);
    woken = [];
    await scheduler.pass();
    expect(woken).to.deep.equal([]);
  });

  it("needs one statement for a pass, however many reports wait", async () => {
    const { db, all } = countStatements(database.db);
    const scheduler = start({ maxRunningReports: 3 }, db);
    const statements: number[] = [];
    for (const count of [20, 180]) {
      for (let n = 0; n < count; n++) await insert(account);
      const before = all();
      await scheduler.pass();
      statements.push(all() - before);
    }
    expect(statements).to.deep.equal([1, 1]);
    expect(woken).to.have.length(3);
  });

  it("makes one pass for all who ask meanwhile, and wakes those whose grant changed", async () => {
    const { db, all } = countStatements(database.db);
    const scheduler = start({ maxRunningReports: 30 }, db);
    const stop = new AbortController();
    const running = scheduler.run(stop.signal);
    try {
      await scheduler.ready;
      const rows = [];
      for (let n = 0; n < 40; n++) rows.push(await readProgress(database.db, await insert(account)));
      const before = all();
      for (const row of rows) if (row) scheduler.grantOf(row, []);
      await eventually(() => woken.length === 30);
      // One may have been running when the first report asked.
      expect(all() - before).to.be.at.most(2);
    } finally {
      stop.abort();
      await running;
    }
  });

  it("never exceeds the limit of running reports, and finds their slots taken after a restart", async () => {
    const [a, b] = [await insert(account), await insert(account)];
    const first = start({ maxRunningReports: 1 });
    await first.pass();
    expect(await grantOf(first, a)).to.deep.equal(pods(1));
    await first.pass();
    expect(await grantOf(first, b)).to.deep.equal(waits);
    await setPhase(database.db, a, "Crawling");
    const c = await insert(other);
    const second = start({ maxRunningReports: 1 });
    await second.pass();
    expect(await grantOf(second, c)).to.deep.equal(waits);
    expect((await grantOf(second, a)).run).to.equal(true);
    await database.db.updateTable("reports").set({ crawl_state: "ended" }).where("id", "=", a).execute();
    await endReport(database.db, a, "Complete", now);
    second.release(a);
    await second.pass();
    expect(await grantOf(second, c)).to.deep.equal(waits);
    expect(await grantOf(second, b)).to.deep.equal(pods(1));
  });

  it("lets a running report go on before a pass has seen it", async () => {
    const id = await insert(account);
    const scheduler = start();
    await scheduler.pass();
    const late = await insert(account);
    await setPhase(database.db, late, "Crawling");
    expect(await grantOf(scheduler, late)).to.deep.equal({ run: true, checkers: {} });
    expect((await grantOf(scheduler, id)).run).to.equal(true);
  });

  it("gives another report the slot of one that cannot use it yet, and lets that one ask again", async () => {
    const [a, b] = [await insert(account), await insert(account)];
    const scheduler = start({ maxRunningReports: 1 });
    await scheduler.pass();
    scheduler.withdraw(a);
    await scheduler.pass();
    expect((await grantOf(scheduler, b)).run).to.equal(true);
    scheduler.withdraw(b);
    expect(await grantOf(scheduler, a)).to.deep.equal(waits);
    await scheduler.pass();
    expect((await grantOf(scheduler, a)).run).to.equal(true);
  });

  it("after a while gives another report the slot of one that nobody works on", async () => {
    const [a, b] = [await insert(account), await insert(account)];
    const scheduler = start({ maxRunningReports: 1 });
    await scheduler.pass();
    expect(await grantOf(scheduler, b)).to.deep.equal(waits);
    now = new Date(now.getTime() + 60_000);
    await scheduler.pass();
    expect((await grantOf(scheduler, b)).run).to.equal(true);
    // It has read the grant: its slot may be on its way into its row, however long that takes.
    now = new Date(now.getTime() + 60_000);
    await scheduler.pass();
    expect((await grantOf(scheduler, b)).run).to.equal(true);
    expect(await grantOf(scheduler, a)).to.deep.equal(waits);
  });

  it("gives a slot that is taken back to another report when its pod is gone, and not before", async () => {
    const a = await insert(account, 1_000);
    await setPhase(database.db, a, "Crawling");
    const scheduler = start({ maxCheckers: 4 });
    scheduler.setJobs([job(a, 4)]);
    await scheduler.pass();
    expect(await grantOf(scheduler, a, [job(a, 4)])).to.deep.equal(pods(4));

    const b = await insert(other, 10);
    await scheduler.pass();
    expect(await grantOf(scheduler, b)).to.deep.equal(pods(0));
    // A reconcile that read the earlier grant may still be applying it, whatever the watch shows.
    scheduler.updateJob("MODIFIED", job(a, 3));
    await scheduler.pass();
    expect(await grantOf(scheduler, b)).to.deep.equal(pods(0));
    const ending = job(a, 3, { active: 3, terminating: 1 });
    expect(await grantOf(scheduler, a, [ending])).to.deep.equal(pods(3));
    scheduler.updateJob("MODIFIED", ending);
    await scheduler.pass();
    expect(await grantOf(scheduler, b)).to.deep.equal(pods(0));
    scheduler.updateJob("MODIFIED", job(a, 3, { active: 3, terminating: 0 }));
    await grantOf(scheduler, a, [job(a, 3)]);
    await scheduler.pass();
    expect(await grantOf(scheduler, b)).to.deep.equal(pods(1));
    expect(await grantOf(scheduler, a, [job(a, 3)])).to.deep.equal(pods(3));
  });

  it("takes nothing back from a Job whose new pods have not been seen yet", async () => {
    const a = await insert(account, 1_000);
    const scheduler = start({ maxCheckers: 4 });
    await scheduler.pass();
    expect(await grantOf(scheduler, a)).to.deep.equal(pods(4));
    const b = await insert(other);
    await scheduler.pass();
    expect(await grantOf(scheduler, a, [job(a, 4, { active: 1 })])).to.deep.equal(pods(4));
    await scheduler.pass();
    expect(await grantOf(scheduler, a, [job(a, 4)])).to.deep.equal(pods(4));
    await scheduler.pass();
    expect(await grantOf(scheduler, a, [job(a, 4)])).to.deep.equal(pods(3));
    expect(await grantOf(scheduler, b)).to.deep.equal(pods(0));
  });

  it("does not wait for ever for pods that do not appear", async () => {
    const a = await insert(account, 1_000);
    const scheduler = start({ maxCheckers: 4 });
    await scheduler.pass();
    await grantOf(scheduler, a);
    await insert(other);
    now = new Date(now.getTime() + 60_000);
    await scheduler.pass();
    expect(await grantOf(scheduler, a)).to.deep.equal(pods(3));
  });

  it("counts the pods of reports that have ended until they are gone", async () => {
    const a = await insert(account, 1_000);
    const scheduler = start({ maxCheckers: 3 });
    scheduler.setJobs([job("gone", 2)]);
    await scheduler.pass();
    expect(await grantOf(scheduler, a)).to.deep.equal(pods(1));
    scheduler.updateJob("DELETED", job("gone", 2));
    await scheduler.pass();
    expect(await grantOf(scheduler, a)).to.deep.equal(pods(3));
  });

  describe("when a report ends before the watch has shown its Job", () => {
    const done = { conditions: [{ type: "Complete", status: "True" }] } as const;
    let a: string;
    let b: string;
    let scheduler: Scheduler;

    beforeEach(async () => {
      a = await insert(account, 1_000);
      scheduler = start({ maxCheckers: 3 });
      await scheduler.pass();
      await setPhase(database.db, a, "Crawling");
      // The reconcile that ends the report lists its Job.
      await grantOf(scheduler, a, [job(a, 3)]);
      await setReport(database.db, a, { crawl_state: "ended", html_pending: 0 });
      await endReport(database.db, a, "Complete", now);
      b = await insert(other, 1_000);
    });
    const next = async () => {
      await scheduler.pass();
      return grantOf(scheduler, b);
    };

    it("counts the Job's pods until the watch has shown its end", async () => {
      scheduler.release(a);
      expect(await next()).to.deep.equal(pods(0));
      scheduler.updateJob("ADDED", job(a, 3));
      expect(await next()).to.deep.equal(pods(0));
      scheduler.updateJob("MODIFIED", job(a, 3, { conditions: [...done.conditions] }));
      expect(await next()).to.deep.equal(pods(3));
    });

    it("counts them too if a pass finds first that the report has ended", async () => {
      expect(await next()).to.deep.equal(pods(0));
      scheduler.updateJob("DELETED", job(a, 3));
      expect(await next()).to.deep.equal(pods(3));
    });

    it("counts them until the next list at the latest", async () => {
      scheduler.release(a);
      expect(await next()).to.deep.equal(pods(0));
      scheduler.setJobs([]);
      expect(await next()).to.deep.equal(pods(3));
    });

    it("does not count them if the watch has shown the Job's end already", async () => {
      scheduler.updateJob("MODIFIED", job(a, 3, { conditions: [...done.conditions] }));
      scheduler.release(a);
      expect(await next()).to.deep.equal(pods(3));
    });
  });

  it("makes a pass when a queue has grown", async () => {
    const a = await insert(account, 10);
    const scheduler = start();
    const stop = new AbortController();
    const running = scheduler.run(stop.signal);
    try {
      await scheduler.ready;
      expect(await grantOf(scheduler, a)).to.deep.equal(pods(1));
      woken.length = 0;
      await setReport(database.db, a, { html_pending: 250 });
      await grantOf(scheduler, a);
      await eventually(() => woken.length === 1);
      expect(await grantOf(scheduler, a)).to.deep.equal(pods(3));
    } finally {
      stop.abort();
      await running;
    }
  });
});
