import { expect } from "chai";
import { createCachedCluster } from "../../../src/cluster/cache/cached-cluster.ts";
import { createLocalCluster } from "../../../src/cluster/local/local-cluster.ts";
import {
  type Cluster,
  ClusterError,
  type ClusterErrorReason,
  isClusterError,
  type NewObject,
} from "../../../src/cluster/port.ts";
import { API_VERSION, type JobResource, labels, type ReportResource } from "../../../src/schema/resources.ts";
import { reportSpec } from "../../support/builders.ts";
import { testLog } from "../../support/controller.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { followAll } from "../../support/follow-all.ts";
import { eventually } from "../../support/wait.ts";

describe("The cached cluster", () => {
  let database: TestDatabase;
  let direct: Cluster;
  let cluster: Cluster;
  let time: number;
  /** The reads that went to the cluster. */
  let reads: string[];
  /** The oldest versions that would do for them. */
  let versions: (string | undefined)[];
  /** The cluster does not have the version that is asked for, as after the restore of a backup. */
  let isBehind: boolean;
  let refusal: ClusterErrorReason;
  /** The events that the watch has shown. */
  let events: string[];
  let stop: () => Promise<void>;

  before(async () => {
    database = await createTestDatabase();
    direct = createLocalCluster(database.db, { url: database.url, log: testLog });
  });
  after(() => database.drop());

  beforeEach(async () => {
    time = 0;
    reads = [];
    versions = [];
    isBehind = false;
    refusal = "ResourceVersionTooLarge";
    events = [];
    const counted: Cluster = {
      ...direct,
      get(kind, namespace, name) {
        reads.push(`get ${name}`);
        return direct.get(kind, namespace, name);
      },
      list(kind, options) {
        if (options?.labels) {
          reads.push(`list ${Object.values(options.labels)}`);
          versions.push(options.notOlderThan);
          if (options.notOlderThan !== undefined && isBehind)
            return Promise.reject(new ClusterError(refusal, "Too large resource version"));
        }
        return direct.list(kind, options);
      },
    };
    cluster = createCachedCluster(counted, () => time);
    stop = await followAll(cluster, (event) => events.push(event));
  });
  afterEach(() => stop());

  const report = (name: string): NewObject<ReportResource> => ({
    ...{ apiVersion: API_VERSION, kind: "Report", metadata: { name, namespace: "default" }, spec: reportSpec({}) },
  });
  const job = (name: string, reportId: string): NewObject<JobResource> => ({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name, namespace: "default", labels: { [labels.report]: reportId } },
    spec: {
      parallelism: 0,
      template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "none", args: [] }] } },
    },
  });
  const jobsOf = async (reportId: string) => {
    const { items } = await cluster.list("Job", { namespace: "default", labels: { [labels.report]: reportId } });
    return items.map(({ metadata }) => metadata.name);
  };
  const shown = (event: string) => eventually(() => events.includes(event));

  it("reads what it wrote, and what others wrote once the watch has shown it, without asking", async () => {
    await cluster.create<"Job">(job("own", "r1"));
    expect(await jobsOf("r1")).to.deep.equal(["own"]);
    await direct.create<"Job">(job("other", "r1"));
    await shown("ADDED other");
    expect(await jobsOf("r1")).to.deep.equal(["own", "other"]);
    const created = await direct.create<"Report">(report("theirs"));
    await shown("ADDED theirs");
    expect((await cluster.get("Report", "default", "theirs"))?.metadata.uid).to.equal(created.metadata.uid);
    expect(reads).to.deep.equal([]);
  });

  it("asks when nothing has been shown for seconds: the watch may be broken", async () => {
    await cluster.create<"Job">(job("quiet", "r2"));
    await shown("ADDED quiet");
    time = 5_000;
    expect(await jobsOf("r2")).to.deep.equal(["quiet"]);
    expect(reads).to.deep.equal(["list r2"]);
    await direct.create<"Job">(job("sign-of-life", "r3"));
    await shown("ADDED sign-of-life");
    await jobsOf("r2");
    expect(reads).to.have.length(1);
  });

  it("is content with a state that has all of its own writes, when nothing has been shown for seconds", async () => {
    await direct.create<"Job">(job("before", "r6"));
    await shown("ADDED before");
    const { metadata } = await cluster.create<"Job">(job("own-write", "r6"));
    await shown("ADDED own-write");
    time = 5_000;
    expect(await jobsOf("r6")).to.deep.equal(["before", "own-write"]);
    expect(versions).to.deep.equal([metadata.resourceVersion]);
  });

  it("asks for the newest state where the cluster has no such version, and after a delete", async () => {
    await cluster.create<"Job">(job("kept", "r7"));
    await shown("ADDED kept");
    time = 5_000;
    isBehind = true;
    expect(await jobsOf("r7")).to.deep.equal(["kept"]);
    expect(versions).to.have.length(2);
    expect(versions[1]).to.equal(undefined);
    versions = [];
    expect(await jobsOf("r7")).to.deep.equal(["kept"]);
    expect(versions, "a refusal takes seconds").to.deep.equal([undefined]);
    await cluster.list("Job", { namespace: "default" });
    isBehind = false;
    time = 10_000;
    versions = [];
    await jobsOf("r7");
    expect(versions).to.have.length(1).and.not.to.include(undefined);
    versions = [];
    const deletion = cluster.delete("Job", "default", "kept");
    await jobsOf("r7");
    expect(versions).to.deep.equal([undefined]);
    await deletion;
  });

  it("asks once when the cluster cannot be reached", async () => {
    await cluster.create<"Job">(job("waiting", "r8"));
    await shown("ADDED waiting");
    time = 5_000;
    isBehind = true;
    refusal = "Unavailable";
    const error = await jobsOf("r8").catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(ClusterError).and.to.have.property("reason", "Unavailable");
    expect(versions).to.have.length(1);
  });

  it("asks for an object that it does not know: no cache says that there is none", async () => {
    expect(await cluster.get("Report", "default", "missing")).to.equal(undefined);
    expect(reads).to.deep.equal(["get missing"]);
  });

  it("asks after a write that failed because others were faster, until a write of its own succeeds", async () => {
    const created = await cluster.create<"Report">(report("contested"));
    const theirs = await direct.update<"Report">({
      ...created,
      metadata: { ...created.metadata, annotations: { by: "them" } },
    });
    await cluster
      .updateStatus<"Report">({ ...created, status: { phase: "Crawling" } as ReportResource["status"] & object })
      .then(
        () => expect.fail("The write did not fail."),
        (error) => expect(isClusterError(error, "Conflict"), String(error)).to.equal(true),
      );
    const found = await cluster.get("Report", "default", "contested");
    expect(found?.metadata.resourceVersion).to.equal(theirs.metadata.resourceVersion);
    expect(reads).to.deep.equal(["get contested"]);
    await cluster.update<"Report">({ ...theirs, metadata: { ...theirs.metadata, annotations: { by: "us" } } });
    expect((await cluster.get("Report", "default", "contested"))?.metadata.annotations).to.deep.equal({ by: "us" });
    expect(reads).to.have.length(1);
  });

  it("asks for the Jobs of a report of which it deletes one, until the watch has shown that it is gone", async () => {
    await cluster.create<"Job">(job("deleted", "r5"));
    const deletion = cluster.delete("Job", "default", "deleted");
    await jobsOf("r5");
    expect(reads).to.deep.equal(["list r5"]);
    await deletion;
    await shown("DELETED deleted");
    expect(await jobsOf("r5")).to.deep.equal([]);
    expect(reads).to.have.length(1);
  });

  it("asks for ended Reports, which it does not keep", async () => {
    const created = await cluster.create<"Report">(report("ended"));
    const status = { phase: "Complete" } as NonNullable<ReportResource["status"]>;
    await cluster.updateStatus<"Report">({ ...created, status });
    await shown("MODIFIED ended");
    expect((await cluster.get("Report", "default", "ended"))?.status?.phase).to.equal("Complete");
    expect(reads).to.deep.equal(["get ended"]);
  });

  it("asks for anything that no list without labels has filled", async () => {
    const { metadata, ...rest } = job("elsewhere", "r4");
    await direct.create<"Job">({ ...rest, metadata: { ...metadata, namespace: "other" } });
    const { items } = await cluster.list("Job", { namespace: "other", labels: { [labels.report]: "r4" } });
    expect(items.map((item) => item.metadata.name)).to.deep.equal(["elsewhere"]);
    expect(reads).to.deep.equal(["list r4"]);
  });
});
