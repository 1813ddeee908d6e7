import { expect } from "chai";
import type { Updateable } from "kysely";
import { createLocalCluster } from "../../../src/cluster/local/local-cluster.ts";
import type { Cluster } from "../../../src/cluster/port.ts";
import { createReconciler } from "../../../src/controller/report/reconcile.ts";
import { createScheduler } from "../../../src/controller/scheduling/scheduler.ts";
import type { Database } from "../../../src/database/tables.ts";
import { annotations, type ReportResource } from "../../../src/schema/resources.ts";
import { insertAccount } from "../../support/builders.ts";
import { createReport, reportDeps, testLog } from "../../support/controller.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

const HOUR = 3_600_000;

describe("the counters in a Report's status", () => {
  let database: TestDatabase;
  let cluster: Cluster;
  let report: ReportResource;
  /** The machine's clock, which may be set, and the monotonic one. */
  let now: Date;
  let clock: number;
  let reconcile: () => Promise<number | undefined>;

  beforeEach(async () => {
    database = await createTestDatabase();
    cluster = createLocalCluster(database.db, { url: database.url, log: testLog });
    now = new Date();
    clock = 0;
    const deps = reportDeps(database, { cluster, now: () => now });
    const scheduler = createScheduler(deps, () => {});
    const reconciler = createReconciler(
      deps,
      scheduler,
      () => {},
      () => clock,
    );
    const account = await insertAccount(database.db);
    // As a person applies it: such a Report is kept, and no time is set to look at it again once it has ended.
    report = await createReport(cluster, account, { metadata: { annotations: { [annotations.account]: account } } });
    reconcile = () => reconciler.reconcile(`default/${report.metadata.name}`);
    await reconcile();
    await scheduler.pass();
    await reconcile();
  });
  afterEach(() => database.drop());

  const set = (values: Updateable<Database["reports"]>) =>
    database.db.updateTable("reports").set(values).where("id", "=", report.metadata.uid).execute();
  const pages = async () => (await cluster.get("Report", "default", report.metadata.name))?.status?.pages;

  it("are written although the machine's clock was set back", async () => {
    now = new Date(now.getTime() - HOUR);
    clock += 2_000;
    await set({ num_pages: 3 });
    await reconcile();
    expect(await pages()).to.equal(3);
  });

  it("follow a change right after the end of the report", async () => {
    await set({ phase: "Complete", crawl_state: "ended", completed_at: now, num_pages: 3 });
    expect(await reconcile()).to.equal(undefined);
    expect(await pages()).to.equal(3);
    clock += 500;
    await set({ num_pages: 2 });
    expect(await reconcile()).to.equal(1_500);
    expect(await pages()).to.equal(3);
    clock += 1_500;
    expect(await reconcile()).to.equal(undefined);
    expect(await pages()).to.equal(2);
  });
});
