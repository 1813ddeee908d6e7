import type { KubeConfig } from "@kubernetes/client-node";
import type { JobResource } from "../../schema/resources.ts";
import { isClusterError } from "../port.ts";
import { createApiServer } from "./request.ts";

/** The part of a v1 Pod that says why it does not run. */
export type Pod = {
  metadata: { name: string; creationTimestamp: string; labels?: Record<string, string>; deletionTimestamp?: string };
  status?: {
    phase?: string;
    conditions?: { type: string; status: string; reason?: string; message?: string; lastTransitionTime?: string }[];
    containerStatuses?: ContainerStatus[];
    initContainerStatuses?: ContainerStatus[];
  };
};

type ContainerStatus = {
  name: string;
  lastState?: { terminated?: Reason };
  state?: { waiting?: Reason; terminated?: Reason & { exitCode: number; finishedAt?: string }; running?: unknown };
};
type Reason = { reason?: string; message?: string };

type Secret = { type: string; annotations: Record<string, string>; data: Record<string, string> };

/** What only a real cluster has, besides the port's kinds: each call names all that it reads or writes. */
export type Surroundings = {
  /** A namespace's annotations. */
  annotationsOf(namespace: string): Promise<Record<string, string>>;
  /** Some of the pods with a label; a look is bounded, whatever there is. */
  listPods(namespace: string, selector: string, most?: number): Promise<Pod[]>;
  /** Why no pods could be created for a Job, newest last. */
  creationFailures(namespace: string, jobUid: string): Promise<string[]>;
  /** Makes a Secret of one entry under its own name, in the place of one of that name; it goes with its owner. */
  putSecret(owner: JobResource, name: string, value: string): Promise<void>;
  /** A missing Secret is no error. */
  deleteSecret(namespace: string, name: string): Promise<void>;
  /** A Secret with its values decoded, or undefined. */
  readSecret(namespace: string, name: string): Promise<Secret | undefined>;
  /** How many replicas a Deployment is to have. */
  scale(namespace: string, deployment: string, replicas: number): Promise<void>;
};

const MAX_PODS = 50;

export function createSurroundings(config: KubeConfig): Surroundings {
  const server = createApiServer(config);
  const place = (namespace: string) => `/api/v1/namespaces/${encodeURIComponent(namespace)}`;

  const secretPath = (namespace: string, name: string) => `${place(namespace)}/secrets/${encodeURIComponent(name)}`;

  async function deleteSecret(namespace: string, name: string): Promise<void> {
    try {
      await server.request("DELETE", secretPath(namespace, name));
    } catch (error) {
      if (!isClusterError(error, "NotFound")) throw error;
    }
  }

  return {
    async annotationsOf(namespace) {
      const found = (await server.request("GET", place(namespace))) as {
        metadata: { annotations?: Record<string, string> };
      };
      return found.metadata.annotations ?? {};
    },
    async listPods(namespace, labelSelector, most = MAX_PODS) {
      const query = { labelSelector, limit: String(most) };
      return ((await server.request("GET", `${place(namespace)}/pods`, { query })) as { items: Pod[] }).items;
    },
    async creationFailures(namespace, jobUid) {
      const fieldSelector = `involvedObject.uid=${jobUid},reason=FailedCreate`;
      const { items } = (await server.request("GET", `${place(namespace)}/events`, {
        query: { fieldSelector, limit: "20" },
      })) as { items: { message?: string; lastTimestamp?: string | null }[] };
      return items
        .toSorted((a, b) => (a.lastTimestamp ?? "").localeCompare(b.lastTimestamp ?? ""))
        .flatMap(({ message }) => message ?? []);
    },
    async putSecret({ apiVersion, kind, metadata: { namespace, name: owner, uid, labels } }, name, value) {
      const ownerReferences = [{ apiVersion, kind, name: owner, uid }];
      const metadata = { name, ...(labels && { labels }), ownerReferences };
      const body = { apiVersion: "v1", kind: "Secret", metadata, immutable: true, stringData: { [name]: value } };
      try {
        await server.request("POST", `${place(namespace)}/secrets`, { body });
      } catch (error) {
        if (!isClusterError(error, "AlreadyExists")) throw error;
        // Rights to create and delete are enough: what is there is never read.
        await deleteSecret(namespace, name);
        await server.request("POST", `${place(namespace)}/secrets`, { body });
      }
    },
    deleteSecret,
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
