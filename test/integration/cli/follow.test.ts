import { expect } from "chai";
import { sql } from "kysely";
import { follow } from "../../../src/cluster/follow.ts";
import { createLocalCluster } from "../../../src/cluster/local/local-cluster.ts";
import type { Cluster } from "../../../src/cluster/port.ts";
import { API_VERSION, type ReportResource } from "../../../src/schema/resources.ts";
import { reportSpec } from "../../support/builders.ts";
import { testLog } from "../../support/controller.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { eventually } from "../../support/wait.ts";

describe("following the local cluster", () => {
  let database: TestDatabase;
  let cluster: Cluster;
  let stop: AbortController;

  beforeEach(async () => {
    database = await createTestDatabase();
    cluster = createLocalCluster(database.db, { url: database.url, log: testLog, retainChanges: 20 });
    stop = new AbortController();
  });
  afterEach(async () => {
    stop.abort();
    await database.drop();
  });

  const create = (name: string): Promise<ReportResource> =>
    cluster.create<"Report">({
      apiVersion: API_VERSION,
      kind: "Report",
      metadata: { name, namespace: "default" },
      spec: reportSpec(),
    });

  /** Follows Reports; the second watch begins only after `gap`, which is done while nobody watches. */
  function followed(gap: () => Promise<unknown>): { told: string[]; running: Promise<void> } {
    const told: string[] = [];
    let watches = 0;
    const gapped: Cluster = {
      ...cluster,
      async *watch(kind, options) {
        if (++watches === 2) await gap();
        yield* cluster.watch(kind, options);
      },
    };
    const running = follow(gapped, "Report", stop.signal, {
      log: testLog,
      onList: (items) => told.push(`all: ${items.map(({ metadata }) => metadata.name)}`),
      onEvent: (type, { metadata }) => told.push(`${type} ${metadata.name}`),
    });
    return { told, running };
  }
  const cut = () =>
    sql`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'site-validator watch Report' and datname = current_database()`.execute(database.db);

  it("misses nothing while its connection is away, deletions neither, and does not list for it", async () => {
    await create("a");
    const { told, running } = followed(async () => {
      await cluster.delete("Report", "default", "a");
      await create("c");
      await cluster.delete("Report", "default", "c");
    });
    await eventually(() => told.length === 1);
    await create("b");
    await eventually(() => told.length === 2);
    await cut();
    await eventually(() => told.length === 5);
    await create("d");
    await eventually(() => told.length === 6);
    stop.abort();
    await running;
    const gap = ["DELETED a", "ADDED c", "DELETED c"];
    expect(told).to.deep.equal(["all: a", "ADDED b", ...gap, "ADDED d"]);
  });

  it("lists anew when the changes of the gap are no longer there", async () => {
    await create("a");
    const { told, running } = followed(async () => {
      await cluster.delete("Report", "default", "a");
      for (let n = 0; n < 30; n++) {
        await create("busy");
        await cluster.delete("Report", "default", "busy");
      }
    });
    await eventually(() => told.length === 1);
    await create("b");
    await eventually(() => told.length === 2);
    await cut();
    await eventually(() => told.length === 3);
    await create("c");
    await eventually(() => told.length === 4);
    stop.abort();
    await running;
    expect(told).to.deep.equal(["all: a", "ADDED b", "all: b", "ADDED c"]);
  });
});
