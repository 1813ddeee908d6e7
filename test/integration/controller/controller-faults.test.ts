import { randomUUID } from "node:crypto";
import { Writable } from "node:stream";
import { isDeepStrictEqual } from "node:util";
import { expect } from "chai";
import { type KyselyPlugin, sql } from "kysely";
import { Registry } from "prom-client";
import { createLogger, transports } from "winston";
import { createLocalCluster } from "../../../src/cluster/local/local-cluster.ts";
import { type Cluster, ClusterError } from "../../../src/cluster/port.ts";
import type { ControllerDeps } from "../../../src/controller/deps.ts";
import { createControllerMetrics } from "../../../src/controller/metrics.ts";
import { admitReport } from "../../../src/controller/report/admit.ts";
import { sweepOrphans } from "../../../src/controller/report/finalize.ts";
import { createReconciler } from "../../../src/controller/report/reconcile.ts";
import { reconcileRow } from "../../../src/controller/report/reconcile-row.ts";
import { reconcileSchedule } from "../../../src/controller/schedule/reconcile.ts";
import { createScheduler } from "../../../src/controller/scheduling/scheduler.ts";
import { readProgress } from "../../../src/database/reports/progress.ts";
import { markReportDeleted, upsertReport } from "../../../src/database/reports/reports.ts";
import { readSchedule } from "../../../src/database/schedules/schedules.ts";
import {
  annotations,
  FINALIZER,
  type JobResource,
  labels,
  type ReportResource,
} from "../../../src/schema/resources.ts";
import { purgeDeletedReports } from "../../../src/transactions/purge.ts";
import { insertAccount, insertReport, reportResource } from "../../support/builders.ts";
import {
  createReport,
  type RunningService,
  reportDeps,
  startController,
  testLog,
  testSettings,
} from "../../support/controller.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { killedAfter } from "../../support/faulty.ts";
import { applySchedule } from "../../support/schedules.ts";
import { eventually } from "../../support/wait.ts";

/** Nobody runs Jobs here: the tests set their results. */
describe("the controller without its Jobs", () => {
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
  const inPhase = async (report: ReportResource, phase: string) => {
    const found = await get(report);
    return found?.status?.phase === phase && found;
  };
  const shows = (report: ReportResource, phase: string) => eventually(() => inPhase(report, phase));
  const row = (report: ReportResource) => readProgress(database.db, report.metadata.uid);
  const stagesOf = (jobs: JobResource[]) => jobs.map(({ metadata }) => metadata.labels?.[labels.stage]).sort();
  const endCrawl = async ({ metadata }: ReportResource) => {
    await database.db.updateTable("reports").set({ crawl_state: "ended" }).where("id", "=", metadata.uid).execute();
    await sql`select pg_notify('site_validator', ${metadata.uid})`.execute(database.db);
  };

  const depsOf = (options: Partial<ControllerDeps>) => reportDeps(database, { cluster, ...options });

  describe("killed after any statement", () => {
    it("creates exactly one Job for each stage", async () => {
      for (let statements = 1, died = true; died; statements++) {
        const report = await createReport(cluster, account, { name: `started-${statements}` });
        died = await dieAfter(statements, () => inPhase(report, "Crawling"));
        controller = startController(database);
        await shows(report, "Crawling");
        await eventually(async () => (await jobsOf(report)).length === 2);
        expect(stagesOf(await made(report))).to.deep.equal(["crawler", "html-checker"]);
        await removed(report);
      }
    });

    it("ends the report once, and creates no further Job", async () => {
      for (let statements = 1, died = true; died; statements++) {
        const report = await createReport(cluster, account, { name: `ended-${statements}` });
        controller = startController(database);
        await eventually(async () => (await jobsOf(report)).length === 2);
        await controller.stop();
        await endCrawl(report);
        died = await dieAfter(statements, () => inPhase(report, "Complete"));
        controller = startController(database);
        const { status } = await shows(report, "Complete");
        await eventually(async () => (await row(report))?.phase === "Complete");
        expect((await row(report))?.completedAt?.toISOString()).to.equal(status?.completionTime);
        expect(stagesOf(await made(report))).to.deep.equal(["crawler", "html-checker"]);
        await removed(report);
      }
    });

    it("leaves neither resource nor Job of a deleted report", async () => {
      for (let statements = 1, died = true; died; statements++) {
        const report = await createReport(cluster, account, { name: `deleted-${statements}` });
        controller = startController(database);
        await eventually(async () => (await jobsOf(report)).length === 2);
        await controller.stop();
        await cluster.delete("Report", "default", report.metadata.name);
        died = await dieAfter(statements, async () => (await get(report)) === undefined);
        controller = startController(database);
        await eventually(async () => (await get(report)) === undefined);
        expect(await jobsOf(report)).to.deep.equal([]);
        expect((await row(report))?.deletedAt).to.be.instanceOf(Date);
        await controller.stop();
      }
    });

    /** The next controller must be killed during the next report, not during this one. */
    async function removed(report: ReportResource): Promise<void> {
      await cluster.delete("Report", "default", report.metadata.name);
      await eventually(async () => (await get(report)) === undefined);
      await controller?.stop();
    }

    /** Runs a controller that is killed after so many statements. @returns false when it reached its goal alive */
    async function dieAfter(statements: number, goal: () => Promise<unknown>): Promise<boolean> {
      const faulty = killedAfter(database.db, statements);
      const options = { db: faulty.db, cluster: createLocalCluster(faulty.db, { url: database.url, log: testLog }) };
      const victim = startController(database, options);
      await eventually(async () => faulty.dead() || Boolean(await goal()));
      const died = faulty.dead();
      await victim.stop();
      return died;
    }

    async function jobsOf(report: ReportResource): Promise<JobResource[]> {
      return (await cluster.list("Job", { labels: { [labels.report]: report.metadata.uid } })).items;
    }

    /** Every Job that was ever created for the report. */
    async function made(report: ReportResource): Promise<JobResource[]> {
      const rows = await database.db
        .selectFrom("cluster_changes")
        .select("object")
        .where("kind", "=", "Job")
        .where("type", "=", "ADDED")
        .execute();
      return rows
        .map(({ object }) => object)
        .filter((object) => object.kind === "Job")
        .filter(({ metadata }) => metadata.labels?.[labels.report] === report.metadata.uid);
    }
  });

  describe("and the account of a report", () => {
    const refused = async (report: ReportResource, reason: string) => {
      const { status } = await shows(report, "Failed");
      expect(status).to.deep.include({ stopReason: reason });
      expect((await cluster.list("Job")).items).to.deep.equal([]);
    };

    it("refuses the id of another Report, and leaves that one's rows and Jobs alone", async () => {
      controller = startController(database);
      const victim = await createReport(cluster, account);
      await eventually(async () => (await cluster.list("Job")).items.length === 2);
      const stolen = { [annotations.account]: account, [annotations.id]: victim.metadata.uid };
      const thief = await createReport(cluster, account, {
        metadata: { annotations: stolen, finalizers: [FINALIZER] },
      });
      expect((await shows(thief, "Failed")).status?.stopReason).to.equal("IdTaken");
      await cluster.delete("Report", "default", thief.metadata.name);
      await eventually(async () => (await get(thief)) === undefined);
      expect((await cluster.list("Job")).items).to.have.length(2);
      expect((await row(victim))?.deletedAt).to.equal(null);
    });

    it("refuses an id that is not a UUID", async () => {
      controller = startController(database);
      const marks = { [annotations.account]: account, [annotations.id]: "'; drop table reports" };
      await refused(await createReport(cluster, account, { metadata: { annotations: marks } }), "InvalidId");
    });

    it("refuses an account that does not exist, and a missing one", async () => {
      controller = startController(database);
      await refused(await createReport(cluster, randomUUID()), "NoAccount");
      await refused(await createReport(cluster, account, { metadata: { annotations: {} } }), "NoAccount");
    });

    it("looks again at a Report without an account, and admits it once its namespace names one", async () => {
      let known: string | undefined;
      const deps = depsOf({ accountOf: async () => known });
      const scheduler = createScheduler(deps, () => {});
      const reconciler = createReconciler(deps, scheduler, () => {});
      const report = await createReport(cluster, account, { metadata: { annotations: {} } });
      const key = `default/${report.metadata.name}`;
      expect(await reconciler.reconcile(key)).to.be.within(1, 60_000);
      await refused(report, "NoAccount");
      known = account;
      await reconciler.reconcile(key);
      await scheduler.pass();
      await reconciler.reconcile(key);
      const { status } = await shows(report, "Crawling");
      expect(status).to.not.have.property("stopReason");
      expect(stagesOf((await cluster.list("Job")).items)).to.deep.equal(["crawler", "html-checker"]);
    });

    it("refuses an invalid starting URL", async () => {
      controller = startController(database);
      await refused(await createReport(cluster, account, { spec: { startingUrl: "http://[x/" } }), "InvalidUrl");
    });

    it("goes on with the spec that a running report has when somebody writes what cannot be stored into it", async () => {
      const report = await createReport(cluster, account, { spec: { tags: ["kept"], activeDeadlineSeconds: 60 } });
      const admitted = await admitReport(depsOf({}), report);
      expect(admitted.state).to.equal("ours");
      const edited = { ...admitted.resource, spec: { ...admitted.resource.spec, tags: ["a\0b"], cancelled: true } };
      edited.metadata = { ...edited.metadata, generation: edited.metadata.generation + 1 };
      const admission = await admitReport(depsOf({}), edited);
      expect(admission.state).to.equal("ours");
      expect(admission.resource.spec).to.deep.include({ tags: ["kept"], activeDeadlineSeconds: 60, cancelled: false });
      const { rows } = await sql`select 1 from reports`.execute(database.db);
      expect(rows).to.have.length(1);
    });

    it("refuses characters that PostgreSQL cannot store, but a cluster can", async () => {
      const report = await createReport(cluster, account);
      for (const spec of [{ tags: ["a\0b"] }, { startingUrl: "http://a/\0" }, { exclusions: ["\ud800"] }]) {
        const admission = await admitReport(depsOf({}), { ...report, spec: { ...report.spec, ...spec } });
        expect(admission).to.deep.include({ state: "refused", reason: "InvalidCharacter" });
      }
    });

    it("takes over a row that the api created", async () => {
      const report = await createReport(cluster, account);
      await upsertReport(database.db, report, account);
      controller = startController(database);
      await shows(report, "Crawling");
    });
  });

  describe("and the changes of others", () => {
    it("copies a new generation's tags and sharing into the row", async () => {
      controller = startController(database);
      const report = await createReport(cluster, account);
      const seen = await shows(report, "Crawling");
      await eventually(async () => {
        const fresh = (await get(report)) ?? seen;
        const spec = { ...fresh.spec, tags: ["new"], shared: true };
        return cluster.update<"Report">({ ...fresh, spec }).catch(() => undefined);
      });
      await eventually(async () => {
        const found = await database.db.selectFrom("reports").select(["tags", "shared"]).executeTakeFirstOrThrow();
        return found.shared && found.tags[0] === "new";
      });
    });

    it("removes the resource of a row that the api marked deleted", async () => {
      const report = await createReport(cluster, account);
      await upsertReport(database.db, report, account);
      await markReportDeleted(database.db, report.metadata.uid, new Date());
      controller = startController(database);
      await eventually(async () => (await get(report)) === undefined);
    });

    it("recreates a Job that somebody deleted", async () => {
      controller = startController(database);
      const report = await createReport(cluster, account);
      await shows(report, "Crawling");
      await eventually(async () => (await get(report))?.status?.runs?.crawler === 1);
      await cluster.delete("Job", "default", `${report.metadata.name}-crawler-1`);
      await eventually(async () => cluster.get("Job", "default", `${report.metadata.name}-crawler-2`));
      const recorded = { run: 2, attempt: 2, done: 0 };
      await eventually(async () => isDeepStrictEqual((await row(report))?.lastJobs?.crawler, recorded));
    });

    it("marks the rows of an unfinished report whose resource is gone as deleted, but not those of an ended one", async () => {
      const gone = await insertReport(database.db, { accountId: account });
      const complete = await insertReport(database.db, { accountId: account });
      await database.db.updateTable("reports").set({ phase: "Complete" }).where("id", "=", complete).execute();
      const deps = depsOf({});
      await sweepOrphans(deps, new Date(0));
      expect((await readProgress(database.db, gone))?.deletedAt).to.equal(null);
      await sweepOrphans(deps, new Date(Date.now() + 1_000));
      expect((await readProgress(database.db, gone))?.deletedAt).to.be.instanceOf(Date);
      expect((await readProgress(database.db, complete))?.deletedAt).to.equal(null);
    });
  });

  it("ends a running report at once whose resource was deleted without its finalizer", async () => {
    controller = startController(database, { settings: { ...testSettings, maxRunningReports: 1 } });
    const report = await createReport(cluster, account);
    await shows(report, "Crawling");
    const next = await createReport(cluster, account);
    const { metadata, ...rest } = (await get(report)) as ReportResource;
    await cluster.update<"Report">({ ...rest, metadata: { ...metadata, finalizers: [] } });
    await cluster.delete("Report", "default", metadata.name);
    await shows(next, "Crawling");
    expect((await row(report))?.deletedAt).to.be.instanceOf(Date);
    const { items } = await cluster.list("Job");
    expect(new Set(items.map((job) => job.metadata.labels?.[labels.report]))).to.deep.equal(
      new Set([next.metadata.uid]),
    );
  });

  it("deletes the Jobs of reports whose resource is gone; if the cluster refuses one, it deletes the others first", async () => {
    const orphans: string[] = [];
    for (let n = 0; n < 2; n++) {
      const id = await insertReport(database.db, { accountId: account });
      orphans.push(id);
      await cluster.create<"Job">({
        apiVersion: "batch/v1",
        kind: "Job",
        metadata: { name: `orphan-${n}`, namespace: "default", labels: { [labels.report]: id } },
        spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "x", image: "x", args: [] }] } } },
      });
    }
    let refusals = 1;
    const refusing: Cluster = {
      ...cluster,
      delete: async (...args) => {
        if (refusals-- > 0) throw new ClusterError("Unavailable", "The API server did not answer.");
        await cluster.delete(...args);
      },
    };
    const sweep = () => sweepOrphans(depsOf({ cluster: refusing }), new Date(Date.now() + 1_000));
    const marked = async () =>
      (await Promise.all(orphans.map((id) => readProgress(database.db, id)))).filter((found) => found?.deletedAt);
    await sweep();
    expect((await cluster.list("Job")).items).to.have.length(1);
    expect(await marked()).to.have.length(1);
    await sweep();
    expect((await cluster.list("Job")).items).to.deep.equal([]);
    expect(await marked()).to.have.length(2);
  });

  describe("when a report's time to live is over", () => {
    const settings = { ...testSettings, reportTtlSeconds: 0 };

    it("removes the resource if the api created it, and keeps its rows", async () => {
      controller = startController(database, { settings });
      const report = await createReport(cluster, account);
      await shows(report, "Crawling");
      await endCrawl(report);
      await eventually(async () => (await get(report)) === undefined);
      expect(await row(report)).to.deep.include({ phase: "Complete", deletedAt: null });
      expect((await cluster.list("Job")).items).to.deep.equal([]);
    });

    it("leaves the resource if a person applied it", async () => {
      controller = startController(database, { settings });
      const report = await createReport(cluster, account, {
        metadata: { annotations: { [annotations.account]: account } },
      });
      await shows(report, "Crawling");
      await endCrawl(report);
      await shows(report, "Complete");
      await controller.stop();
      expect(await get(report)).to.not.equal(undefined);
    });

    it("purges the rows of deleted reports only", async () => {
      const old = await insertReport(database.db, { accountId: account });
      const fresh = await insertReport(database.db, { accountId: account });
      for (const id of [old, fresh]) {
        await sql`insert into web_pages (report_id, url) select ${id}, 'https://example.com/' || n
          from generate_series(1, 450) n`.execute(database.db);
        await sql`insert into frontier (report_id, url, position, depth) values (${id}, 'u', 1, 0)`.execute(
          database.db,
        );
      }
      await markReportDeleted(database.db, old, new Date("2026-01-01T00:00:00Z"));
      await markReportDeleted(database.db, fresh, new Date("2026-01-03T00:00:00Z"));
      const never = new AbortController().signal;
      expect(await purgeDeletedReports(database.db, new Date("2026-01-02T00:00:00Z"), never)).to.equal(1);
      expect(await readProgress(database.db, old)).to.equal(undefined);
      const pages = await database.db.selectFrom("web_pages").select("report_id").execute();
      expect(pages.map(({ report_id }) => report_id)).to.deep.equal(Array(450).fill(fresh));
    });

    it("keeps the own row of a deleted report whose resource it cannot delete", async () => {
      const report = await insertReport(database.db, { accountId: account });
      await sql`insert into web_pages (report_id, url) values (${report}, 'https://example.com/')`.execute(database.db);
      await markReportDeleted(database.db, report, new Date("2026-01-01T00:00:00Z"));
      const purge = (watched: string[]) =>
        purgeDeletedReports(database.db, new Date("2026-01-02T00:00:00Z"), new AbortController().signal, { watched });
      expect([await purge(["other"]), await purge(["other"])]).to.deep.equal([1, 0]);
      expect(await database.db.selectFrom("web_pages").select("id").execute()).to.deep.equal([]);
      expect((await readProgress(database.db, report))?.deletedAt).not.to.equal(null);
      expect(await purge(["default"])).to.equal(1);
      expect(await readProgress(database.db, report)).to.equal(undefined);
    });
  });

  describe("with namespaces that it may not read", () => {
    const watching = { ...testSettings, watchNamespaces: ["default"] };
    /** As Kubernetes responds to requests that no Role allows. */
    const guarded = (asked: string[]): Cluster => ({
      ...cluster,
      get: async (kind, namespace, name) => {
        if (kind !== "Job") asked.push(namespace);
        if (namespace !== "default") throw new ClusterError("Forbidden", `${namespace}/${name} may not be read`);
        return cluster.get(kind, namespace, name);
      },
    });

    it("leaves the schedules of other namespaces alone", async () => {
      const gone = await applySchedule(cluster, account);
      for (const namespace of ["default", "elsewhere"]) {
        const schedule = await applySchedule(cluster, account, {}, { namespace, name: "nightly" });
        await reconcileSchedule(depsOf({}), `${namespace}/${schedule.metadata.name}`);
      }
      await reconcileSchedule(depsOf({}), `default/${gone.metadata.name}`);
      // Its resource is gone, too: the controller would restore the row of an existing one.
      await cluster.delete("Schedule", "default", gone.metadata.name);
      // Rows are purged after they are read: by then all work has begun. On a busy machine what is asked comes later.
      await database.db
        .updateTable("schedules")
        .set({ deleted_at: new Date(0) })
        .where("id", "=", gone.metadata.uid)
        .execute();
      const asked: string[] = [];
      controller = startController(database, { settings: watching, cluster: guarded(asked) });
      await eventually(async () => (await readSchedule(database.db, gone.metadata.uid)) === undefined);
      await eventually(() => asked.length > 0);
      await controller.stop();
      controller = undefined;
      expect(new Set(asked)).to.deep.equal(new Set(["default"]));
    });

    it("rechecks a page of a report there, from its row alone", async () => {
      const report = await createReport(cluster, account, { metadata: { namespace: "elsewhere" } });
      await upsertReport(database.db, report, account);
      const id = report.metadata.uid;
      await database.db.updateTable("reports").set({ run_base: "{}" }).where("id", "=", id).execute();
      const asked: string[] = [];
      const deps = depsOf({ settings: watching, cluster: guarded(asked) });
      const step = await reconcileRow(
        deps,
        createScheduler(deps, () => {}),
        id,
      );
      expect(step).to.deep.include({ ended: false });
      expect(asked).to.deep.equal([]);
    });
  });

  describe("whose writes conflict each time", () => {
    const changing = (reason: "Conflict" | "NotFound"): Cluster => ({
      ...cluster,
      updateStatus: async () => {
        throw new ClusterError(reason, "It has been changed.");
      },
    });
    const logged = () => {
      const lines: { level: string; key?: string; failures?: number }[] = [];
      const stream = new Writable({ objectMode: true, write: (line, _, done) => done(void lines.push(line)) });
      const log = createLogger({ level: "debug", transports: [new transports.Stream({ stream })] });
      return { log, lines };
    };

    for (const reason of ["Conflict", "NotFound"] as const)
      it(`retries a Report and a Schedule again and again, which it logs and counts: ${reason}`, async () => {
        const { log, lines } = logged();
        const registry = new Registry();
        const metrics = createControllerMetrics(registry);
        controller = startController(database, { cluster: changing(reason), log, metrics });
        const report = await createReport(cluster, account);
        const schedule = await applySchedule(cluster, account, { active: false });
        for (const { metadata } of [report, schedule]) {
          const about = () => lines.filter(({ key }) => key === `default/${metadata.name}`);
          await eventually(() => about().some(({ failures }) => failures === 3));
          // What is normal once is logged when it continues.
          expect(
            about()
              .slice(0, 3)
              .map(({ level }) => level),
          ).to.deep.equal(["debug", "info", "info"]);
        }
        const text = await registry.metrics();
        expect(text).to.match(/controller_reconciles_total{result="moved"} [3-9]/);
        expect(text).to.match(/controller_schedule_reconciles_total{result="moved"} [3-9]/);
      });
  });

  it("does not adopt a Job that is not its own", async () => {
    const report = await createReport(cluster, account, { name: "namesake" });
    await cluster.create<"Job">({
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "namesake-crawler-1", namespace: "default" },
      spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "x", image: "x", args: [] }] } } },
    });
    controller = startController(database);
    await eventually(async () => (await row(report))?.phase === "Crawling");
    await controller.stop();
    expect((await get(report))?.status?.runs?.crawler).to.equal(undefined);
    controller = startController(database);
    await cluster.delete("Job", "default", "namesake-crawler-1");
    await eventually(async () => (await get(report))?.status?.runs?.crawler === 1);
  });

  it("creates a Job whose name was just taken, and counts no run that does not exist", async () => {
    let taken = true;
    const create: Cluster["create"] = async (object) => {
      if (object.kind === "Job" && taken) {
        taken = false;
        throw new ClusterError("AlreadyExists", "The Job exists already.");
      }
      return cluster.create(object);
    };
    controller = startController(database, { cluster: { ...cluster, create } });
    const report = await createReport(cluster, account);
    await eventually(async () => (await get(report))?.status?.runs?.crawler);
    const { items } = await cluster.list("Job", { labels: { [labels.stage]: "crawler" } });
    expect(items.map(({ metadata }) => metadata.name)).to.deep.equal([`${report.metadata.name}-crawler-1`]);
  });

  it("closes its listening connection when reading the changes fails", async () => {
    let losses = 0;
    // Others read the same: it fails until the listener has met it five times.
    const plugin: KyselyPlugin = {
      transformQuery({ node }) {
        if (losses < 5 && JSON.stringify(node).includes("reopened")) throw new Error("not now");
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    const warn = (message: string) => {
      if (message === "cannot listen for notifications of the database") losses += 1;
    };
    const log = Object.assign(Object.create(testLog), { warn });
    controller = startController(database, { db: database.db.withPlugin(plugin), log });
    await eventually(() => losses >= 5);
    await shows(await createReport(cluster, account), "Crawling");
    const listeners = async () => {
      const { rows } = await sql`select 1 from pg_stat_activity
        where datname = current_database() and application_name = 'site-validator controller listen'`.execute(
        database.db,
      );
      return rows.length;
    };
    await eventually(async () => (await listeners()) === 1);
  });

  it("schedules waiting reports after the database was restored", async () => {
    const resource = reportResource({}, { name: "no-resource" });
    await upsertReport(database.db, resource, account);
    controller = startController(database, { settings: { ...testSettings, maxRunningReports: 2 } });
    await shows(await createReport(cluster, account), "Crawling");
  });
});
