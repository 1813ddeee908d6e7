import { existsSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import type { Kysely } from "kysely";
import type { ApiServerConfig } from "../../cluster/kubernetes/api-server-config.ts";
import { watchClockSkew } from "../../cluster/kubernetes/clock-skew.ts";
import { createLocalCluster } from "../../cluster/local/local-cluster.ts";
import type { Cluster } from "../../cluster/port.ts";
import type { Config } from "../../config.ts";
import type { Database } from "../../database/tables.ts";
import type { Logger } from "../../telemetry/log.ts";

/** Opens the cluster that CLUSTER names. */
export async function openCluster(
  config: Pick<Config, "cluster" | "serviceAccount">,
  local: { db: Kysely<Database>; url: string; log: Logger },
): Promise<{ cluster: Cluster }> {
  if (config.cluster === "kubernetes") return openKubernetes(config);
  return { cluster: createLocalCluster(local.db, { url: local.url, log: local.log }) };
}

/**
 * Connects to the API server of KUBECONFIG or ~/.kube/config, or of this pod's service account.
 *
 * @param log is told when the API server's clock differs from ours
 */
export async function openKubernetes(
  { serviceAccount }: Pick<Config, "serviceAccount">,
  log?: Logger,
): Promise<{ cluster: Cluster; apiServer: ApiServerConfig }> {
  const { createKubernetesCluster } = await import("../../cluster/kubernetes/kubernetes-cluster.ts");
  // A person's kubeconfig in a pod, such as that of a development environment, is for the cluster that this person means.
  const isPod = serviceAccount && !existsSync(path.join(homedir(), ".kube", "config"));
  const found = isPod ? await ofPod(serviceAccount) : await ofKubeConfig();
  const apiServer = { ...found, ...(log && { onDate: watchClockSkew(log) }) };
  return { cluster: createKubernetesCluster(apiServer), apiServer };
}

async function ofPod(serviceAccount: { server: string; folder: string }): Promise<ApiServerConfig> {
  const { fromServiceAccount } = await import("../../cluster/kubernetes/service-account.ts");
  return fromServiceAccount(serviceAccount);
}

/** The client library is loaded only here: it takes 50 MB of memory. */
async function ofKubeConfig(): Promise<ApiServerConfig> {
  const [{ KubeConfig }, { fromKubeConfig }] = await Promise.all([
    import("@kubernetes/client-node"),
    import("../../cluster/kubernetes/kubeconfig.ts"),
  ]);
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromDefault();
  return fromKubeConfig(kubeConfig);
}
