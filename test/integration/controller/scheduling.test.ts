import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { createLocalCluster } from "../../../src/cluster/local/local-cluster.ts";
import type { Cluster } from "../../../src/cluster/port.ts";
import { upsertReport } from "../../../src/database/reports/reports.ts";
import { labels, type ReportResource } from "../../../src/schema/resources.ts";
import { insertAccount } from "../../support/builders.ts";
import {
  createReport,
  ended,
  processesRun,
  type RunningService,
  startController,
  startService,
  testLog,
  testSettings,
} from "../../support/controller.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { countStatements } from "../../support/statements.ts";
import { eventually } from "../../support/wait.ts";

describe("sharing the slots", () => {
  let database: TestDatabase;
  let cluster: Cluster;
  let account: string;
  let other: string;
  let folder: string;
  let service: RunningService | undefined;

  beforeEach(async () => {
    database = await createTestDatabase();
    cluster = createLocalCluster(database.db, { url: database.url, log: testLog });
    account = await insertAccount(database.db);
    other = await insertAccount(database.db);
    folder = await mkdtemp(path.join(tmpdir(), "sv-scheduling-"));
  });
  afterEach(async () => {
    await service?.stop();
    service = undefined;
    await database.drop();
    await rm(folder, { recursive: true });
  });

  const checkerJobs = async () =>
    (await cluster.list("Job")).items.filter(({ metadata }) => metadata.labels?.[labels.stage]?.endsWith("-checker"));
  const pods = async (report: ReportResource) =>
    (await checkerJobs())
      .filter(({ metadata }) => metadata.labels?.[labels.report] === report.metadata.uid)
      .reduce((sum, { status }) => sum + (status?.active ?? 0), 0);

  it("reads the unfinished reports a few times, not once for each waiting report", async () => {
    const reports = 200;
    // With their rows, as the API makes them.
    for (let n = 0; n < reports; n++) await upsertReport(database.db, await createReport(cluster, account), account);
    const { db, lists } = countStatements(database.db);
    service = startController(database, { db, settings: { ...testSettings, maxRunningReports: 1 } });
    await eventually(async () => {
      const { items } = await cluster.list("Report");
      return items.filter(({ status }) => status?.phase === "Pending").length === reports - 1;
    });
    // Once for each waiting report would be 200 and more.
    expect(lists()).to.be.below(reports);
  });

  it("takes slots back from slow reports for another account's new one, and counts nothing as a failure", async () => {
    const gate = path.join(folder, "gate");
    const log = path.join(folder, "log");
    service = startService(database, { settings: { maxCheckers: 4 }, log, gate });
    const both = { performHtmlChecks: true, performA11yChecks: true };
    const slow: ReportResource[] = [];
    for (const name of ["slow-1", "slow-2"])
      slow.push(await createReport(cluster, account, { name, query: "?pages=60&check=hang", spec: both }));
    await eventually(async () => {
      const held = await Promise.all(slow.map(pods));
      return held.reduce((sum, count) => sum + count, 0) === 4;
    });
    const quick = await createReport(cluster, other, { name: "quick", query: "?pages=3" });
    await eventually(async () => (await pods(quick)) === 1);
    const held = await Promise.all(slow.map(pods));
    expect(held.reduce((sum, count) => sum + count, 0)).to.equal(3);
    expect(Math.min(...held)).to.be.at.least(1);
    await writeFile(gate, "");
    expect((await ended(cluster, quick)).status).to.deep.include({
      phase: "Complete",
      checks: { pending: 0, checked: 3, failed: 0 },
      runs: { crawler: 1, "html-checker": 1 },
    });
    await eventually(async () => (await Promise.all(slow.map(pods))).reduce((sum, count) => sum + count, 0) === 4);
    for (const { metadata, status } of await checkerJobs()) {
      expect(metadata.labels?.[labels.run]).to.equal("1");
      expect(status?.failed ?? 0).to.equal(0);
    }
    expect((await processesRun(log)).filter(({ what }) => what.startsWith("crawler"))).to.have.length(3);
  });
});
