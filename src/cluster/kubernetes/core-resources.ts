import type { JobResource } from "../../schema/resources.ts";
import { type CoreResources, MAX_PODS, type Pod } from "../core-resources.ts";
import { isClusterError } from "../port.ts";
import type { ApiServerConfig } from "./api-server-config.ts";
import { createApiServer } from "./request.ts";

/** The core resources on a real API server. `config` has its address and our credentials. */
export function createKubernetesCoreResources(config: ApiServerConfig): CoreResources {
  const server = createApiServer(config);
  const namespacePath = (namespace: string) => `/api/v1/namespaces/${encodeURIComponent(namespace)}`;

  const secretsPath = (namespace: string) => `${namespacePath(namespace)}/secrets`;
  const secretPath = (namespace: string, name: string) => `${secretsPath(namespace)}/${encodeURIComponent(name)}`;

  return {
    async annotationsOf(namespace) {
      const found = (await server.request("GET", namespacePath(namespace))) as {
        metadata: { annotations?: Record<string, string> };
      };
      return found.metadata.annotations ?? {};
    },
    async listPods(namespace, labelSelector, max = MAX_PODS) {
      const query = { labelSelector, limit: String(max) };
      return ((await server.request("GET", `${namespacePath(namespace)}/pods`, { query })) as { items: Pod[] }).items;
    },
    async creationFailures(namespace, jobUid) {
      const fieldSelector = `involvedObject.uid=${jobUid},reason=FailedCreate`;
      const { items } = (await server.request("GET", `${namespacePath(namespace)}/events`, {
        query: { fieldSelector, limit: "20" },
      })) as { items: { message?: string; lastTimestamp?: string | null }[] };
      return items
        .toSorted((a, b) => (a.lastTimestamp ?? "").localeCompare(b.lastTimestamp ?? ""))
        .flatMap(({ message }) => message ?? []);
    },
    async createSecret(owner, name, value) {
      try {
        await server.request("POST", secretsPath(owner.metadata.namespace), { body: secretOf(owner, name, value) });
      } catch (error) {
        if (!isClusterError(error, "AlreadyExists")) throw error;
      }
    },
    async deleteSecret(namespace, name) {
      try {
        await server.request("DELETE", secretPath(namespace, name));
      } catch (error) {
        if (!isClusterError(error, "NotFound")) throw error;
      }
    },
    async readSecret(namespace, name) {
      try {
        const { type, metadata, data } = (await server.request("GET", secretPath(namespace, name))) as {
          type: string;
          metadata: { annotations?: Record<string, string> };
          data?: Record<string, string>;
        };
        const decoded = Object.entries(data ?? {}).map(([key, value]) => [
          key,
          Buffer.from(value, "base64").toString(),
        ]);
        return { type, annotations: metadata.annotations ?? {}, data: Object.fromEntries(decoded) };
      } catch (error) {
        if (isClusterError(error, "NotFound")) return undefined;
        throw error;
      }
    },
    async scale(namespace, deployment, replicas) {
      const path = `/apis/apps/v1/namespaces/${encodeURIComponent(namespace)}/deployments/${encodeURIComponent(deployment)}/scale`;
      const current = (await server.request("GET", path)) as { spec?: { replicas?: number } };
      await server.request("PUT", path, { body: { ...current, spec: { ...current.spec, replicas } } });
    },
  };
}

function secretOf(
  { apiVersion, kind, metadata: { name: owner, uid, labels } }: JobResource,
  name: string,
  value: string,
) {
  const ownerReferences = [{ apiVersion, kind, name: owner, uid }];
  const metadata = { name, ...(labels && { labels }), ownerReferences };
  return { apiVersion: "v1", kind: "Secret", metadata, immutable: true, stringData: { [name]: value } };
}
