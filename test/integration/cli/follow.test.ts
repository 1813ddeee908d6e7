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

  /** Follows Reports; the second watch begins only after `gap`, which happens while nobody watches. */
  function followed(gap: () => Promise<unknown>): { delivered: string[]; running: Promise<void> } {
    const delivered: string[] = [];
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
      onList: (items) => delivered.push(`all: ${items.map(({ metadata }) => metadata.name)}`),
      onEvent: (type, { metadata }) => delivered.push(`${type} ${metadata.name}`),
    });
    return { delivered, running };
  }
  const cut = () =>
    sql`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'site-validator watch Report' and datname = current_database()`.execute(database.db);

  it("misses nothing while its connection is away, not even deletions, and needs no new list", async () => {
    await create("a");
    const { delivered, running } = followed(async () => {
      await cluster.delete("Report", "default", "a");
      await create("c");
      await cluster.delete("Report", "default", "c");
    });
    await eventually(() => delivered.length === 1);
    await create("b");
    await eventually(() => delivered.length === 2);
    await cut();
    await eventually(() => delivered.length === 5);
    await create("d");
    await eventually(() => delivered.length === 6);
    stop.abort();
    await running;
    const gap = ["DELETED a", "ADDED c", "DELETED c"];
    expect(delivered).to.deep.equal(["all: a", "ADDED b", ...gap, "ADDED d"]);
  });

  it("lists again when the changes of the gap are no longer stored", async () => {
    await create("a");
    const { delivered, running } = followed(async () => {
      await cluster.delete("Report", "default", "a");
      for (let n = 0; n < 30; n++) {
        await create("busy");
        await cluster.delete("Report", "default", "busy");
      }
    });
    await eventually(() => delivered.length === 1);
    await create("b");
    await eventually(() => delivered.length === 2);
    await cut();
    await eventually(() => delivered.length === 3);
    await create("c");
    await eventually(() => delivered.length === 4);
    stop.abort();
    await running;
    expect(delivered).to.deep.equal(["all: a", "ADDED b", "all: b", "ADDED c"]);
  });
});
