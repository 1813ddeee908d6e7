import type { KubeConfig } from "@kubernetes/client-node";
import type { Kysely } from "kysely";
import { createLocalCluster } from "../cluster/local/local-cluster.ts";
import type { Cluster } from "../cluster/port.ts";
import type { Config } from "../config.ts";
import type { Database } from "../database/tables.ts";
import type { Logger } from "../telemetry/log.ts";

/** Opens the cluster that CLUSTER names. The Kubernetes client is loaded only when it is used. */
export async function openCluster(
  config: Pick<Config, "cluster">,
  local: { db: Kysely<Database>; url: string; log: Logger },
): Promise<{ cluster: Cluster }> {
  if (config.cluster === "kubernetes") return openKubernetes();
  return { cluster: createLocalCluster(local.db, { url: local.url, log: local.log }) };
}

/** Connects to the API server of this pod's service account, or of KUBECONFIG. */
export async function openKubernetes(): Promise<{ cluster: Cluster; kubeConfig: KubeConfig }> {
  const { KubeConfig } = await import("@kubernetes/client-node");
  const { createKubernetesCluster } = await import("../cluster/kubernetes/kubernetes-cluster.ts");
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromDefault();
  return { cluster: createKubernetesCluster(kubeConfig), kubeConfig };
}
