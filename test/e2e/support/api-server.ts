import { KubeConfig } from "@kubernetes/client-node";
import type { ApiServerConfig } from "../../../src/cluster/kubernetes/api-server-config.ts";
import { fromKubeConfig } from "../../../src/cluster/kubernetes/kubeconfig.ts";

/** The API server of the test cluster. */
export function testApiServer(): ApiServerConfig {
  const config = new KubeConfig();
  config.loadFromDefault();
  return fromKubeConfig(config);
}
