import path from "node:path";
import { expect } from "chai";
import { sql } from "kysely";
import { createCachedCluster } from "../../../src/cluster/cache/cached-cluster.ts";
import { createLocalCoreResources } from "../../../src/cluster/local/core-resources.ts";
import { createJobRunner } from "../../../src/cluster/local/job-runner.ts";
import { createLocalCluster } from "../../../src/cluster/local/local-cluster.ts";
import { createNode } from "../../../src/cluster/local/node.ts";
import { type Cluster, ClusterError, type NewObject } from "../../../src/cluster/port.ts";
import { API_VERSION, type ReportResource } from "../../../src/schema/resources.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { reportSpec } from "../../support/builders.ts";
import { compileCache } from "../../support/cache.ts";
import { type ConformanceCluster, describeCluster } from "../../support/cluster-conformance.ts";
import { describeCoreResources } from "../../support/core-resources-conformance.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { followAll } from "../../support/follow-all.ts";
import { countStatements } from "../../support/statements.ts";

const log = createLogger("error", { program: "test" });
const POD = path.join(import.meta.dirname, "../../support/programs/pod.ts");

/** @param adapt makes the cluster that is tested from the local one; nothing is done at its end unless it says so */
async function localCluster(
  adapt: (local: Cluster) => Promise<{ cluster: Cluster; stop?: () => Promise<void> }>,
): Promise<ConformanceCluster> {
  const database = await createTestDatabase();
  const local = createLocalCluster(database.db, { url: database.url, log });
  const { cluster, stop } = await adapt(local);
  const runJobs = () => {
    const stopped = new AbortController();
    const running = createJobRunner({
      cluster: local,
      log,
      namespace: "default",
      command: () => ({ file: process.execPath, args: [POD, "wait"] }),
      environment: compileCache,
      node: createNode(),
      onLine: () => {},
    }).run(stopped.signal);
    return async () => {
      stopped.abort();
      await running;
    };
  };
  const close = async () => {
    await stop?.();
    await database.drop();
  };
  return { cluster, namespace: "default", runJobs, close };
}

describeCluster("local", () => localCluster(async (cluster) => ({ cluster })));

describeCluster("cached local", () =>
  localCluster(async (local) => {
    const cluster = createCachedCluster(local);
    return { cluster, stop: await followAll(cluster) };
  }),
);

describeCoreResources("local", async () => {
  const database = await createTestDatabase();
  const namespace = "default";
  const cluster = createLocalCluster(database.db, { url: database.url, log });
  const node = createNode();
  const stop = new AbortController();
  const running = createJobRunner({
    ...{ cluster, log, namespace, node },
    command: (args) => ({ file: process.execPath, args: [POD, ...args] }),
    environment: compileCache,
    onLine: () => {},
    graceMs: 1_000,
  }).run(stop.signal);
  return {
    ...{ cluster, namespace },
    core: createLocalCoreResources({ cluster, node, namespace }),
    close: async () => {
      stop.abort();
      await running;
      await database.drop();
    },
  };
});

describe("the local cluster's changes", () => {
  let database: TestDatabase;

  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());

  const report = (name: string): NewObject<ReportResource> => ({
    apiVersion: API_VERSION,
    kind: "Report",
    metadata: { name, namespace: "default" },
    spec: reportSpec(),
  });

  it("are deleted when old, and a watch from there is Expired", async () => {
    const cluster = createLocalCluster(database.db, { url: database.url, log, retainChanges: 20 });
    const { resourceVersion } = await cluster.list("Report");
    for (let n = 0; n < 50; n++) await cluster.create<"Report">(report(`old-${n}`));
    const { count } = await database.db
      .selectFrom("cluster_changes")
      .select((eb) => eb.fn.countAll<string>().as("count"))
      .executeTakeFirstOrThrow();
    expect(Number(count)).to.be.within(20, 22);
    const signal = new AbortController().signal;
    let error: unknown;
    try {
      for await (const _ of cluster.watch("Report", { resourceVersion, signal }));
    } catch (thrown) {
      error = thrown;
    }
    expect(error).to.be.instanceOf(ClusterError).and.to.have.property("reason", "Expired");
  });

  it("of concurrent writers have versions in the order of their commits", async () => {
    const cluster = createLocalCluster(database.db, { url: database.url, log });
    const { resourceVersion } = await cluster.list("Report");
    const stop = new AbortController();
    const seen: bigint[] = [];
    const watching = (async () => {
      for await (const event of cluster.watch("Report", { resourceVersion, signal: stop.signal })) {
        if (event.type !== "BOOKMARK") seen.push(BigInt(event.object.metadata.resourceVersion));
        if (seen.length === 100) stop.abort();
      }
    })();
    await Promise.all(Array.from({ length: 100 }, (_, n) => cluster.create<"Report">(report(`busy-${n}`))));
    await watching;
    const from = BigInt(resourceVersion) + 1n;
    expect(seen).to.deep.equal(Array.from({ length: 100 }, (_, n) => from + BigInt(n)));
  });

  it("lack no version when a name is taken, and an object costs one statement", async () => {
    const { db, all } = countStatements(database.db);
    const cluster = createLocalCluster(db, { url: database.url, log });
    const first = await cluster.create<"Report">(report("taken"));
    expect(all()).to.equal(1);
    const again = Array.from({ length: 5 }, () => cluster.create<"Report">(report("taken")));
    for (const outcome of await Promise.allSettled(again))
      expect(outcome).to.have.nested.property("reason.reason", "AlreadyExists");
    const { metadata } = await cluster.create<"Report">(report("next"));
    expect(BigInt(metadata.resourceVersion)).to.equal(BigInt(first.metadata.resourceVersion) + 1n);
    expect(await cluster.get("Report", "default", "next")).to.have.nested.property(
      "metadata.resourceVersion",
      metadata.resourceVersion,
    );
  });

  it("do not fail a create when old ones cannot be deleted: a later one does that", async () => {
    const cluster = createLocalCluster(database.db, { url: database.url, log, retainChanges: 1 });
    const old = () =>
      database.db
        .selectFrom("cluster_changes")
        .select((eb) => eb.fn.countAll<string>().as("count"))
        .executeTakeFirst();
    await sql`
      create function refuse() returns trigger language plpgsql as 'begin raise exception ''no''; end';
      create trigger refuse before delete on cluster_changes execute function refuse()`.execute(database.db);
    try {
      await cluster.create<"Report">(report("kept-1"));
      await cluster.create<"Report">(report("kept-2"));
    } finally {
      await sql`drop trigger refuse on cluster_changes; drop function refuse`.execute(database.db);
    }
    expect(Number((await old())?.count)).to.be.greaterThan(1);
    await cluster.create<"Report">(report("kept-3"));
    expect(Number((await old())?.count)).to.equal(1);
  });

  it("are refused where the version is missing, as in a database that was restored in part", async () => {
    const cluster = createLocalCluster(database.db, { url: database.url, log });
    const { resourceVersion } = await cluster.list("Report");
    await database.db.deleteFrom("cluster_version").execute();
    try {
      const error = await cluster.create<"Report">(report("nowhere")).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(Error);
    } finally {
      await sql`insert into cluster_version (resource_version) values (${resourceVersion}::bigint)`.execute(
        database.db,
      );
    }
  });

  it("end a watch whose connection is cut, and cause a bookmark when other objects change", async () => {
    const cluster = createLocalCluster(database.db, { url: database.url, log });
    const { resourceVersion } = await cluster.list("Job");
    await cluster.create<"Report">(report("another-kind"));
    const events = cluster.watch("Job", { resourceVersion, signal: new AbortController().signal });
    const iterator = events[Symbol.asyncIterator]();
    const first = await iterator.next();
    expect(first.value).to.deep.equal({ type: "BOOKMARK", resourceVersion: String(BigInt(resourceVersion) + 1n) });
    const next = iterator.next();
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'site-validator watch Job' and datname = current_database()`.execute(database.db);
    expect((await next).done).to.equal(true);
  });

  it("are Unavailable without a database", async () => {
    const cluster = createLocalCluster(database.db, { url: "postgres://nobody@127.0.0.1:1/none", log });
    let error: unknown;
    try {
      for await (const _ of cluster.watch("Job", { resourceVersion: "1", signal: new AbortController().signal }));
    } catch (thrown) {
      error = thrown;
    }
    expect(error).to.be.instanceOf(ClusterError).and.to.have.property("reason", "Unavailable");
  });
});
