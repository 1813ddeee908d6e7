import { expect } from "chai";
import { createLocalCoreResources } from "../../../src/cluster/local/core-resources.ts";
import { createLocalCluster } from "../../../src/cluster/local/local-cluster.ts";
import { createNode } from "../../../src/cluster/local/node.ts";
import { type Cluster, ClusterError } from "../../../src/cluster/port.ts";
import { type UninstallOptions, uninstall } from "../../../src/controller/uninstall.ts";
import { FINALIZER, labels } from "../../../src/schema/resources.ts";
import { createReport, testLog } from "../../support/controller.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

describe("uninstall", () => {
  let database: TestDatabase;
  let cluster: Cluster;

  beforeEach(async () => {
    database = await createTestDatabase();
    cluster = createLocalCluster(database.db, { url: database.url, log: testLog });
  });
  afterEach(() => database.drop());

  const run = (options: Partial<UninstallOptions> = {}) =>
    uninstall({
      cluster,
      core: createLocalCoreResources({ cluster, node: createNode(), namespace: "default" }),
      namespace: "default",
      watchNamespaces: ["default", "tenant"],
      controller: { name: "controller", selector: "component=controller" },
      log: testLog,
      signal: new AbortController().signal,
      ...options,
    });
  const createJob = (name: string, ofReport: boolean) =>
    cluster.create<"Job">({
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name, namespace: "default", ...(ofReport && { labels: { [labels.report]: "id" } }) },
      spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "x", image: "x", args: [] }] } } },
    });
  const held = (namespace: string) =>
    createReport(cluster, "account", { metadata: { namespace, finalizers: [FINALIZER, "example.com/other"] } });

  it("stops our Jobs and removes the finalizers of our resources, which stay, even if the controller is gone already", async () => {
    await createJob("ours", true);
    await createJob("others", false);
    const reports = [await held("default"), await held("tenant"), await held("elsewhere")];
    expect(await run()).to.equal(true);
    expect((await cluster.list("Job")).items.map(({ metadata }) => metadata.name)).to.deep.equal(["others"]);
    const left = await Promise.all(
      reports.map(({ metadata }) => cluster.get("Report", metadata.namespace, metadata.name)),
    );
    expect(left.map((report) => report?.metadata.finalizers)).to.deep.equal([
      ["example.com/other"],
      ["example.com/other"],
      [FINALIZER, "example.com/other"],
    ]);
  });

  it("waits until the controller's pods are gone before it removes anything", async () => {
    await createJob("ours", true);
    const steps: string[] = [];
    let looks = 0;
    const core: UninstallOptions["core"] = {
      scale: async (namespace, name, replicas) => void steps.push(`${namespace}/${name} to ${replicas}`),
      listPods: async (_, selector) => {
        steps.push(`${selector}: ${(await cluster.list("Job")).items.length} Job`);
        return looks++ === 0 ? [{ metadata: { name: "controller-1", creationTimestamp: "2026-01-01T00:00:00Z" } }] : [];
      },
    };
    expect(await run({ core })).to.equal(true);
    expect(steps).to.deep.equal([
      "default/controller to 0",
      "component=controller: 1 Job",
      "component=controller: 1 Job",
    ]);
  });

  it("says so if finalizers are left when its time is over", async () => {
    const report = await held("default");
    const refusing: Cluster = {
      ...cluster,
      update: async () => {
        throw new ClusterError("Forbidden", "It may not be changed.");
      },
    };
    expect(await run({ cluster: refusing, stepMs: 1 })).to.equal(false);
    expect((await cluster.get("Report", "default", report.metadata.name))?.metadata.finalizers).to.include(FINALIZER);
  });
});
