import { expect } from "chai";
import { createLocalCluster } from "../../../src/cluster/local/local-cluster.ts";
import type { Cluster } from "../../../src/cluster/port.ts";
import { reconcileSchedule } from "../../../src/controller/schedule/reconcile.ts";
import { beginEntry } from "../../../src/database/audit/entries.ts";
import type { ScheduleResource } from "../../../src/schema/resources.ts";
import { insertAccount } from "../../support/builders.ts";
import {
  controllerDeps,
  createReport,
  type RunningService,
  startController,
  testLog,
} from "../../support/controller.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { applySchedule } from "../../support/schedules.ts";
import { eventually } from "../../support/wait.ts";

describe("the audit log of what is declared on a cluster", () => {
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

  const entries = () =>
    database.db
      .selectFrom("audit_entries")
      .select(["who", "verb", "who_name", "via", "site_url", "changes"])
      .orderBy("id")
      .execute();
  const verbs = async () => (await entries()).map(({ verb }) => verb);
  const seen = (schedule: ScheduleResource) =>
    reconcileSchedule(
      controllerDeps(database, { cluster }),
      `${schedule.metadata.namespace}/${schedule.metadata.name}`,
    );
  const change = async (schedule: ScheduleResource, maxPages: number) => {
    const { namespace, name } = schedule.metadata;
    const current = (await cluster.get("Schedule", namespace, name)) as ScheduleResource;
    await cluster.update<"Schedule">({ ...current, spec: { ...current.spec, maxPages } });
  };

  it("has what was declared, changed and removed, once each", async () => {
    const schedule = await applySchedule(cluster, account, { active: false });
    for (const _ of "twice") await seen(schedule);
    await change(schedule, 7);
    for (const _ of "twice") await seen(schedule);
    await cluster.delete("Schedule", schedule.metadata.namespace, schedule.metadata.name, {});
    for (const _ of "twice") await seen(schedule);
    expect(await verbs()).to.deep.equal(["declared a schedule", "changed a schedule", "deleted a schedule"]);
    const changed = (await entries())[1];
    expect(changed).to.include({ who: "cluster", via: "declared", site_url: schedule.spec.startingUrl });
    expect(changed?.changes.map(({ field, after }) => [field, after])).to.deep.equal([["max_pages", "7"]]);
  });

  it("leaves to a request what it is doing at this moment", async () => {
    const schedule = await applySchedule(cluster, account, { active: false });
    await seen(schedule);
    const { id } = await database.db.selectFrom("schedules").select("id").executeTakeFirstOrThrow();
    const target = { type: "schedule", id, name: null, path: null, siteUrl: null };
    await beginEntry(database.db, {
      ...{ accountId: account, at: new Date(), who: "token", whoId: null, whoName: "CI", operation: "updateSchedule" },
      ...{
        verb: "changed a schedule",
        area: "schedules",
        target,
        requestId: "r",
        via: "api",
        address: null,
        agent: null,
      },
    });
    await change(schedule, 7);
    await seen(schedule);
    expect(await verbs()).to.deep.equal(["declared a schedule"]);
  });

  it("has a report that was declared", async () => {
    await createReport(cluster, account);
    controller = startController(database, { cluster });
    await eventually(async () => (await verbs()).includes("declared a report"));
    expect(await verbs()).to.deep.equal(["declared a report"]);
  });
});
