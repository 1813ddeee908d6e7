import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { sql } from "kysely";
import { createLocalCluster } from "../../../src/cluster/local/local-cluster.ts";
import { type Cluster, isClusterError } from "../../../src/cluster/port.ts";
import type { ControllerSettings } from "../../../src/controller/settings.ts";
import { readProgress } from "../../../src/database/reports/progress.ts";
import type { ReportResource } from "../../../src/schema/resources.ts";
import { requeuePage } from "../../../src/transactions/change-pages.ts";
import { insertAccount } from "../../support/builders.ts";
import {
  createReport,
  ended,
  processesRun,
  type RunningService,
  startController,
  startService,
  testLog,
} from "../../support/controller.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { eventually } from "../../support/wait.ts";

describe("a report that is cancelled", () => {
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
    folder = await mkdtemp(path.join(tmpdir(), "sv-cancel-"));
    log = path.join(folder, "log");
    gate = path.join(folder, "gate");
  });
  afterEach(async () => {
    await service?.stop();
    service = undefined;
    await database.drop();
    await rm(folder, { recursive: true });
  });

  const start = (settings: Partial<ControllerSettings> = {}, { gated = false } = {}) => {
    service = startService(database, { settings, log, ...(gated ? { gate } : {}) });
  };
  const create = (query: string, options: Omit<Parameters<typeof createReport>[2], "query"> = {}) =>
    createReport(cluster, account, { query, ...options });
  const row = (report: ReportResource) => readProgress(database.db, report.metadata.uid);
  /** As `kubectl patch` does: it tries again when the resource has changed in between. */
  const cancel = (report: ReportResource) =>
    eventually(async () => {
      const fresh = await cluster.get("Report", "default", report.metadata.name);
      if (!fresh) throw new Error("The report is gone.");
      return cluster.update<"Report">({ ...fresh, spec: { ...fresh.spec, cancelled: true } }).catch((error) => {
        if (!isClusterError(error, "Conflict")) throw error;
      });
    });
  const failures = async () => {
    const { rows } = await sql<{ failure_code: string; failure_detail: string; n: number }>`
      select failure_code, failure_detail, count(*)::integer as n from checks group by 1, 2`.execute(database.db);
    return rows;
  };
  const jobsAreGone = () => eventually(async () => (await cluster.list("Job")).items.length === 0);
  const cancelled = (n: number) => [{ failure_code: "cancelled", failure_detail: "The report was cancelled.", n }];

  it("ends while it is crawled with what it has: its Jobs are stopped, its credits free again", async () => {
    start({}, { gated: true });
    const report = await create("?pages=3&check=hang");
    await eventually(async () => (await row(report))?.pages === 3 && (await processesRun(log)).length === 2);
    await sql`update checks set reserved_month = '2026-01-01'`.execute(database.db);
    await sql`insert into credit_usage (account_id, month, reserved, charged) values (${account}, '2026-01-01', 5, 7)`.execute(
      database.db,
    );
    await cancel(report);
    const { status } = await ended(cluster, report);
    expect(status).to.deep.include({
      phase: "Complete",
      stopReason: "Cancelled",
      pages: 3,
      checks: { pending: 0, checked: 0, failed: 3 },
    });
    const reasons = Object.fromEntries(status?.conditions?.map(({ type, reason }) => [type, reason]) ?? []);
    expect(reasons).to.deep.include({ Crawled: "CrawlCutShort", Complete: "Cancelled", Failed: "NoFailure" });
    expect(await row(report)).to.deep.include({
      failureCode: "cancelled",
      failureDetail: "The crawl was cut short: pages are missing. The report was cancelled.",
    });
    expect(await failures()).to.deep.equal(cancelled(3));
    await jobsAreGone();
    const credits = await database.db.selectFrom("credit_usage").select(["reserved", "charged"]).execute();
    expect(credits).to.deep.equal([{ reserved: 2, charged: 7 }]);
  });

  it("keeps what is checked when its crawl was over, and says what is not", async () => {
    start();
    const report = await create("?pages=2&check=hang", { spec: { performA11yChecks: true } });
    await eventually(async () => (await row(report))?.crawlState === "ended");
    await sql`with done as (
        update checks set status = 'checked', errors = 2 where kind = 'html' returning report_id
      )
      update check_counts set pending = 0, checked = 2, errors = 4
      where kind = 'html' and report_id in (select report_id from done)`.execute(database.db);
    await cancel(report);
    const { status } = await ended(cluster, report);
    expect(status).to.deep.include({
      phase: "Complete",
      stopReason: "Cancelled",
      errors: 4,
      checks: { pending: 0, checked: 2, failed: 2 },
    });
    const crawled = status?.conditions?.find(({ type }) => type === "Crawled");
    expect(crawled?.reason, "nothing is missing from its crawl").to.equal("CrawlEnded");
  });

  it("fails while it waits for capacity, without a Job, and makes room for nobody but itself", async () => {
    start({ maxRunningReports: 1 }, { gated: true });
    const first = await create("?pages=1");
    await eventually(async () => (await row(first))?.phase === "Crawling");
    const second = await create("?pages=1");
    await eventually(async () => (await row(second))?.phase === "Pending");
    await cancel(second);
    const { status } = await ended(cluster, second);
    expect(status).to.deep.include({ phase: "Failed", stopReason: "Cancelled", runs: {} });
    expect(await row(second)).to.deep.include({ failureCode: "cancelled" });
    expect((await row(first))?.phase).to.equal("Crawling");
    await writeFile(gate, "");
    expect((await ended(cluster, first)).status?.phase).to.equal("Complete");
  });

  it("does not wait for the Secret that it names", async () => {
    start();
    const report = await create("?pages=1", { spec: { basicAuthSecret: "not-there-yet" } });
    await eventually(async () => {
      const found = await cluster.get("Report", "default", report.metadata.name);
      return found?.status?.conditions?.some(({ reason }) => reason === "WaitingForSecret");
    });
    await cancel(report);
    const { status } = await ended(cluster, report);
    expect(status).to.deep.include({ phase: "Failed", stopReason: "Cancelled" });
  });

  it("ends when the controller is back, if it was away when the report was cancelled", async () => {
    service = startController(database);
    const report = await create("?pages=1");
    await eventually(async () => (await cluster.list("Job")).items.length > 0);
    await service.stop();
    await cancel(report);
    service = startController(database);
    const { status } = await ended(cluster, report);
    expect(status).to.deep.include({ phase: "Failed", stopReason: "Cancelled" });
    await jobsAreGone();
  });

  it("ends although it was created so, and does not begin", async () => {
    start();
    const { status } = await ended(cluster, await create("?pages=1", { spec: { cancelled: true } }));
    expect(status).to.deep.include({ phase: "Failed", stopReason: "Cancelled", runs: {} });
  });

  it("has its pages checked again when somebody asks for it", async () => {
    start({}, { gated: true });
    const report = await create("?pages=2&check=die-run-1");
    await eventually(async () => (await row(report))?.pages === 2);
    await cancel(report);
    await ended(cluster, report);
    expect(await failures()).to.deep.equal(cancelled(2));
    const { id } = await database.db.selectFrom("web_pages").select("id").orderBy("id").executeTakeFirstOrThrow();
    await requeuePage(database.db, report.metadata.uid, id, new Date());
    await eventually(async () => (await row(report))?.checks.html.checked === 1);
    await eventually(async () => (await row(report))?.phase === "Complete");
    expect((await row(report))?.checks.html).to.deep.equal({ pending: 0, checked: 1, failed: 1 });
  });

  it("stays as it ended when it is cancelled afterwards", async () => {
    start();
    const report = await create("?pages=2");
    const before = (await ended(cluster, report)).status;
    await cancel(report);
    const after = await eventually(async () => {
      const found = await cluster.get("Report", "default", report.metadata.name);
      return found?.status?.observedGeneration === found?.metadata.generation && found;
    });
    expect(after.spec.cancelled).to.equal(true);
    const counts = { phase: "Complete", checks: { pending: 0, checked: 2, failed: 0 } };
    expect(after.status).to.deep.include({ ...counts, completionTime: before?.completionTime });
    expect(after.status).not.to.have.property("stopReason");
  });

  it("cannot be taken back", async () => {
    const report = await create("", { spec: { cancelled: true } });
    const back = cluster.update<"Report">({ ...report, spec: { ...report.spec, cancelled: false } });
    const error = await back.then(
      () => undefined,
      (refused: unknown) => refused,
    );
    expect(isClusterError(error, "Invalid")).to.equal(true);
    expect(String(error)).to.include("stays cancelled");
  });
});
