import { randomBytes } from "node:crypto";
import { KubeConfig } from "@kubernetes/client-node";
import { createKubernetesCluster } from "../../src/cluster/kubernetes/kubernetes-cluster.ts";
import { createApiServer } from "../../src/cluster/kubernetes/request.ts";
import { describeCluster } from "../support/cluster-conformance.ts";

describeCluster("kubernetes", async () => {
  const config = new KubeConfig();
  config.loadFromDefault();
  const namespace = `conformance-${randomBytes(4).toString("hex")}`;
  const server = createApiServer(config);
  await server.request("POST", "/api/v1/namespaces", {
    body: { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
  });
  return {
    cluster: createKubernetesCluster(config),
    namespace,
    close: async () => {
      await server.request("DELETE", `/api/v1/namespaces/${namespace}`);
    },
  };
});
