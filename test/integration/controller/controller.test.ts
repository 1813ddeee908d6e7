import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { sql } from "kysely";
import { createLocalCluster } from "../../../src/cluster/local/local-cluster.ts";
import type { Cluster } from "../../../src/cluster/port.ts";
import type { ControllerSettings } from "../../../src/controller/settings.ts";
import { readProgress } from "../../../src/database/reports/progress.ts";
import { annotations, FINALIZER, labels, type ReportResource } from "../../../src/schema/resources.ts";
import { insertAccount } from "../../support/builders.ts";
import {
  createReport,
  ended,
  processesRun,
  type RunningService,
  startService,
  testLog,
} from "../../support/controller.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { eventually } from "../../support/wait.ts";

describe("the controller with its Jobs", () => {
  let database: TestDatabase;
  let cluster: Cluster;
  let account: string;
  let folder: string;
  let log: string;
  let gate: string;
  let service: RunningService | undefined;

  beforeEach(async () => {
    database = await createTestDatabase();
    cluster = createLocalCluster(database.db, { url: database.url, log: testLog });
    account = await insertAccount(database.db);
    folder = await mkdtemp(path.join(tmpdir(), "sv-controller-"));
    log = path.join(folder, "log");
    gate = path.join(folder, "gate");
  });
  afterEach(async () => {
    await service?.stop();
    service = undefined;
    await database.drop();
    await rm(folder, { recursive: true });
  });

  const start = (options: { settings?: Partial<ControllerSettings>; gated?: boolean; now?: () => Date } = {}) => {
    const { settings = {}, gated = false, now } = options;
    service = startService(database, { settings, log, ...(gated ? { gate } : {}), ...(now ? { now } : {}) });
  };
  const create = (query = "", options: Omit<Parameters<typeof createReport>[2], "query"> = {}) =>
    createReport(cluster, account, { query, ...options });
  const row = (report: ReportResource) => readProgress(database.db, report.metadata.uid);
  const jobsMade = async (report: ReportResource) => {
    const { rows } = await sql<{ name: string }>`
      select object #>> '{metadata,name}' as name from cluster_changes
      where kind = 'Job' and type = 'ADDED' and object #>> '{metadata,labels}' like ${`%${report.metadata.uid}%`}
      order by name`.execute(database.db);
    return rows.map(({ name }) => name.replace(`${report.metadata.name}-`, ""));
  };
  const ran = async () => (await processesRun(log)).map(({ what }) => what).sort();

  it("runs a report from its resource to its end", async () => {
    start();
    const report = await create("?pages=3", { spec: { performA11yChecks: true } });
    const { metadata, status } = await ended(cluster, report);
    expect(metadata.annotations?.[annotations.id]).to.equal(report.metadata.uid);
    expect(metadata.finalizers).to.deep.equal([FINALIZER]);
    expect(status).to.deep.include({
      phase: "Complete",
      pages: 3,
      errors: 12,
      checks: { pending: 0, checked: 6, failed: 0 },
      runs: { crawler: 1, "html-checker": 1, "a11y-checker": 1 },
    });
    expect(status?.conditions?.map(({ type, status: state }) => `${type}=${state}`)).to.have.members([
      "Crawled=True",
      "Complete=True",
      "Covered=True",
      "Failed=False",
    ]);
    expect(await row(report)).to.deep.include({ phase: "Complete", pages: 3 });
    expect((await row(report))?.completedAt?.toISOString()).to.equal(status?.completionTime);
    expect(await jobsMade(report)).to.deep.equal(["a11y-checker-1", "crawler-1", "html-checker-1"]);
    expect(await ran()).to.deep.equal(["checker a11y 1", "checker html 1", "crawler 1"]);
  });

  it("gives Jobs the request's id, the report's label and an owner reference", async () => {
    start();
    const report = await create();
    await ended(cluster, report);
    const job = await cluster.get("Job", "default", `${report.metadata.name}-html-checker-1`);
    expect(job?.metadata.labels).to.deep.equal({
      [labels.report]: report.metadata.uid,
      [labels.stage]: "html-checker",
      [labels.run]: "1",
    });
    expect(job?.metadata.ownerReferences?.[0]).to.deep.include({ kind: "Report", uid: report.metadata.uid });
    const [container] = job?.spec.template.spec.containers ?? [];
    expect(container?.args).to.deep.equal([
      "checker",
      ...["--report", report.metadata.uid],
      ...["--run", "1"],
      ...["--engine", "html"],
      ...["--html-engine", "conformance"],
    ]);
    expect(container?.env).to.deep.include({ name: "REQUEST_ID", value: "request-1" });
  });

  it("fails a report whose starting page cannot be fetched, with the reason", async () => {
    start();
    const { status } = await ended(cluster, await create("?crawl=unreachable"));
    expect(status).to.deep.include({ phase: "Failed", stopReason: "Unreachable" });
    expect(status?.conditions?.find(({ type }) => type === "Failed")).to.deep.include({
      status: "True",
      message: "Connection refused.",
    });
  });

  it("fails a report whose crawler crashes before it found a page", async () => {
    start();
    const report = await create("?pages=0&crawl=crash");
    const { status } = await ended(cluster, report);
    expect(status).to.deep.include({ phase: "Failed", stopReason: "CrawlerFailed" });
    expect(await row(report)).to.deep.include({ crawlState: "failed", failureCode: "crawler_crashed" });
  });

  it("completes a report whose crawler crashes with what it found, and says that pages are missing", async () => {
    start();
    const report = await create("?pages=2&crawl=crash");
    const { status } = await ended(cluster, report);
    expect(status).to.deep.include({ phase: "Complete", stopReason: "CrawlerFailed", pages: 2 });
    expect(await row(report)).to.deep.include({ crawlState: "ended", failureCode: "crawler_crashed" });
    expect(status?.conditions?.find(({ type }) => type === "Crawled")).to.deep.include({ reason: "CrawlCutShort" });
    expect(status?.conditions?.find(({ type }) => type === "Complete")?.message).to.contain("pages are missing");
    expect(status?.checks).to.deep.equal({ pending: 0, checked: 2, failed: 0 });
  });

  it("ends a report at its own deadline with what it has, and says so", async () => {
    let passedMs = 0;
    start({ now: () => new Date(Date.now() + passedMs) });
    const report = await create("?pages=3&check=hang", { spec: { activeDeadlineSeconds: 3_600 } });
    await eventually(async () => (await row(report))?.pages === 3);
    passedMs = 3_600_000;
    const { status } = await ended(cluster, report);
    expect(status).to.deep.include({
      phase: "Complete",
      stopReason: "DeadlineExceeded",
      checks: { pending: 0, checked: 0, failed: 3 },
    });
    const failures = await sql<{ failure_code: string; failure_detail: string }>`
      select distinct failure_code, failure_detail from checks`.execute(database.db);
    expect(failures.rows).to.deep.equal([
      {
        failure_code: "deadline_exceeded",
        failure_detail: "The report's deadline of 3600 s (activeDeadlineSeconds) has passed.",
      },
    ]);
    const checkerIsGone = async () =>
      (await cluster.list("Job")).items.every(({ metadata }) => !metadata.name.includes("checker"));
    await eventually(checkerIsGone);
  });

  it("creates another checker Job when one failed with checks left", async () => {
    start();
    const report = await create("?pages=3&check=die-run-1");
    const { status } = await ended(cluster, report);
    expect(status).to.deep.include({ phase: "Complete", checks: { pending: 0, checked: 3, failed: 0 } });
    expect(status).to.not.have.property("stopReason");
    expect(await jobsMade(report)).to.deep.equal(["crawler-1", "html-checker-1", "html-checker-2"]);
  });

  it("gives up the checks after the sixth checker Job, and releases their credits", async () => {
    start();
    const report = await create("?pages=2&check=leave");
    await eventually(async () => (await row(report))?.pages === 2);
    await sql`update checks set status = 'leased', reserved_month = '2026-01-01'`.execute(database.db);
    await sql`insert into credit_usage (account_id, month, reserved, charged) values (${account}, '2026-01-01', 5, 7)`.execute(
      database.db,
    );
    const { status } = await ended(cluster, report);
    expect(status).to.deep.include({ phase: "Complete", stopReason: "CheckerFailed" });
    expect(status?.checks).to.deep.equal({ pending: 0, checked: 0, failed: 2 });
    expect(await jobsMade(report)).to.deep.equal([
      "crawler-1",
      "html-checker-1",
      "html-checker-2",
      "html-checker-3",
      "html-checker-4",
      "html-checker-5",
      "html-checker-6",
    ]);
    const checks = await database.db.selectFrom("checks").select(["status", "failure_code"]).execute();
    expect(checks).to.deep.equal(Array(2).fill({ status: "failed", failure_code: "checker_crashed" }));
    const credits = await database.db.selectFrom("credit_usage").select(["reserved", "charged"]).execute();
    expect(credits).to.deep.equal([{ reserved: 3, charged: 7 }]);
  });

  it("does not try again if a checker says that it cannot run, and still ends the report", async () => {
    start();
    const report = await create("?pages=2&check=usage");
    const { status } = await ended(cluster, report);
    expect(status).to.deep.include({ phase: "Complete", stopReason: "CheckerFailed" });
    expect(status?.checks).to.deep.equal({ pending: 0, checked: 0, failed: 2 });
    expect((await ran()).filter((what) => what.startsWith("checker"))).to.deep.equal(["checker html 1"]);
  });

  it("lets a report wait for a slot, and starts it when one is free", async () => {
    start({ settings: { maxRunningReports: 1 }, gated: true });
    const first = await create("?pages=1");
    await eventually(async () => (await row(first))?.phase === "Crawling");
    const second = await create("?pages=1");
    const waiting = await eventually(async () => {
      const found = await cluster.get("Report", "default", second.metadata.name);
      return found?.status?.phase && found;
    });
    expect(waiting.status?.phase).to.equal("Pending");
    expect(await jobsMade(second)).to.deep.equal([]);
    await writeFile(gate, "");
    await ended(cluster, first);
    expect((await ended(cluster, second)).status?.phase).to.equal("Complete");
  });

  it("raises a checker Job's parallelism with its queue", async () => {
    start({ settings: { maxCheckers: 3 }, gated: true });
    const report = await create("?pages=40&check=hang", {
      spec: { performHtmlChecks: false, performA11yChecks: true },
    });
    await eventually(async () => {
      const job = await cluster.get("Job", "default", `${report.metadata.name}-a11y-checker-1`);
      return job?.status?.active === 3;
    });
  });

  it("stops everything of a report that is deleted while it runs", async () => {
    start({ gated: true });
    const report = await create("?pages=2&check=hang");
    const pids = await eventually(async () => {
      const processes = await processesRun(log);
      return processes.length === 2 && processes.map(({ pid }) => pid);
    });
    await eventually(async () => (await row(report))?.pages === 2);
    await cluster.delete("Report", "default", report.metadata.name);
    await eventually(async () => (await cluster.get("Report", "default", report.metadata.name)) === undefined);
    expect((await row(report))?.deletedAt).to.be.instanceOf(Date);
    expect((await cluster.list("Job")).items).to.deep.equal([]);
    await eventually(() => pids.every((pid) => !isAlive(pid)));
    expect(await ran()).to.have.length(2);
  });

  it("goes on with the same Jobs after the whole service was restarted", async () => {
    start({ gated: true });
    const report = await create("?pages=3");
    await eventually(async () => (await row(report))?.pages === 3);
    await service?.stop();
    const halfway = await cluster.list("Job");
    expect(halfway.items.map(({ status }) => status?.conditions)).to.deep.equal([undefined, undefined]);
    await writeFile(gate, "");
    start({ gated: true });
    const { status } = await ended(cluster, report);
    expect(status).to.deep.include({ phase: "Complete", pages: 3, checks: { pending: 0, checked: 3, failed: 0 } });
    expect(await jobsMade(report)).to.deep.equal(["crawler-1", "html-checker-1"]);
  });

  it("converges even if every connection to the database is cut, again and again", async () => {
    start({ gated: true });
    const report = await create("?pages=2");
    await eventually(async () => (await row(report))?.phase === "Crawling");
    const cut = () =>
      sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`.execute(database.db);
    for (let n = 0; n < 3; n++) await cut();
    await writeFile(gate, "");
    await cut();
    expect((await ended(cluster, report)).status?.phase).to.equal("Complete");
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
