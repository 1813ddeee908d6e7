import { randomBytes } from "node:crypto";
import { expect } from "chai";
import { createKubernetesCoreResources } from "../../src/cluster/kubernetes/core-resources.ts";
import { createKubernetesCluster } from "../../src/cluster/kubernetes/kubernetes-cluster.ts";
import { createApiServer } from "../../src/cluster/kubernetes/request.ts";
import { ClusterError } from "../../src/cluster/port.ts";
import { reportResource } from "../support/builders.ts";
import { describeCluster } from "../support/cluster-conformance.ts";
import { describeCoreResources } from "../support/core-resources-conformance.ts";
import { testApiServer } from "./support/api-server.ts";

describeCluster("kubernetes", inOwnNamespace);
describeCoreResources("kubernetes", inOwnNamespace);

/** Both ports on the test cluster, in a namespace that is deleted after the suite. */
async function inOwnNamespace() {
  const config = testApiServer();
  const namespace = `conformance-${randomBytes(4).toString("hex")}`;
  const server = createApiServer(config);
  await server.request("POST", "/api/v1/namespaces", {
    body: { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
  });
  return {
    cluster: createKubernetesCluster(config),
    core: createKubernetesCoreResources(config),
    namespace,
    close: async () => {
      await server.request("DELETE", `/api/v1/namespaces/${namespace}`);
    },
  };
}

describe("the kubernetes cluster's versions", () => {
  it("are refused with a reason of their own where the API server has not got so far", async () => {
    const list = createKubernetesCluster(testApiServer()).list("Job", { notOlderThan: String(2 ** 52) });
    const error = await list.catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(ClusterError).and.to.have.property("reason", "ResourceVersionTooLarge");
  });
});

describe("the kubernetes cluster's events", () => {
  it("appear with the object and are counted when recorded again, by another replica too", async () => {
    const config = testApiServer();
    const server = createApiServer(config);
    const namespace = `events-${randomBytes(4).toString("hex")}`;
    await server.request("POST", "/api/v1/namespaces", {
      body: { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    });
    try {
      const about = reportResource({}, { namespace });
      const recordEvents = (message: string) =>
        createKubernetesCluster(config).record({ about, type: "Warning", reason: "OOMKilled", message });
      await recordEvents("one");
      await recordEvents("other");
      await recordEvents("one");
      const { items } = (await server.request("GET", `/api/v1/namespaces/${namespace}/events`, {
        query: { fieldSelector: `involvedObject.uid=${about.metadata.uid}` },
      })) as { items: { message: string; count: number; type: string; involvedObject: { kind: string } }[] };
      expect(items.map(({ message, count }) => `${message} ${count}`).sort()).to.deep.equal(["one 2", "other 1"]);
      expect(items[0]).to.deep.include({ type: "Warning", reason: "OOMKilled" });
      expect(items[0]?.involvedObject).to.deep.include({ kind: "Report", name: about.metadata.name });
    } finally {
      await server.request("DELETE", `/api/v1/namespaces/${namespace}`);
    }
  });
});
