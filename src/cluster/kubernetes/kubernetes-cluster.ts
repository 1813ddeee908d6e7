import { API_VERSION, type Kind, type Resources } from "../../schema/resources.ts";
import { type Cluster, isClusterError, type ListOptions, type NewObject } from "../port.ts";
import type { ApiServerConfig } from "./api-server-config.ts";
import { createRecorder } from "./events.ts";
import { createApiServer } from "./request.ts";
import { SILENCE_MS, watchEvents } from "./watch.ts";

/** The API path of each kind. */
const kinds: Record<Kind, { apiVersion: string; group: string; plural: string }> = {
  Report: { apiVersion: API_VERSION, group: `/apis/${API_VERSION}`, plural: "reports" },
  Schedule: { apiVersion: API_VERSION, group: `/apis/${API_VERSION}`, plural: "schedules" },
  Job: { apiVersion: "batch/v1", group: "/apis/batch/v1", plural: "jobs" },
};

/** Objects per page of a list, far below the API server's limits. */
const PAGE_SIZE = "500";

export type KubernetesClusterOptions = {
  /** A watch without events for this long, in milliseconds, is ended. */
  silenceMs?: number;
};

/** The cluster port on a real API server. `config` has its address and our credentials. */
export function createKubernetesCluster(config: ApiServerConfig, options: KubernetesClusterOptions = {}): Cluster {
  const { silenceMs = SILENCE_MS } = options;
  const server = createApiServer(config);

  const collection = (kind: Kind, namespace: string | undefined): string => {
    const { group, plural } = kinds[kind];
    return namespace ? `${group}/namespaces/${encodeURIComponent(namespace)}/${plural}` : `${group}/${plural}`;
  };
  const item = (kind: Kind, namespace: string, name: string): string =>
    `${collection(kind, namespace)}/${encodeURIComponent(name)}`;
  const pathOf = (object: Resources[Kind]): string =>
    item(object.kind as Kind, object.metadata.namespace, object.metadata.name);
  // Strict: a misspelt field is an error, as with kubectl, instead of being silently dropped.
  const writing = { fieldManager: "site-validator", fieldValidation: "Strict" };

  async function listPages<K extends Kind>(kind: K, options: ListOptions, limit: string | undefined) {
    const { notOlderThan } = options;
    const version = { resourceVersion: notOlderThan, resourceVersionMatch: notOlderThan && "NotOlderThan" };
    const items: Resources[K][] = [];
    let more: string | undefined;
    let resourceVersion: string;
    do {
      const page = (await server.request("GET", collection(kind, options.namespace), {
        query: { limit, continue: more, labelSelector: labelSelector(options.labels), ...version },
      })) as { items: Resources[K][]; metadata: { resourceVersion: string; continue?: string } };
      // Items of a list have no kind of their own.
      for (const object of page.items) items.push({ ...object, kind, apiVersion: kinds[kind].apiVersion });
      more = page.metadata.continue || undefined;
      resourceVersion = page.metadata.resourceVersion;
    } while (more);
    return { items, resourceVersion };
  }

  return {
    async get<K extends Kind>(kind: K, namespace: string, name: string) {
      try {
        return (await server.request("GET", item(kind, namespace, name))) as Resources[K];
      } catch (error) {
        if (isClusterError(error, "NotFound")) return undefined;
        throw error;
      }
    },

    async list<K extends Kind>(kind: K, options: ListOptions = {}) {
      // Pages would be read from the database, and only the first may name a version.
      if (options.notOlderThan !== undefined) return await listPages(kind, options, undefined);
      try {
        return await listPages(kind, options, PAGE_SIZE);
      } catch (error) {
        if (!isClusterError(error, "Expired")) throw error;
        // The version of the pages has been compacted. A single request avoids that, as in client-go's pager.
        return await listPages(kind, options, undefined);
      }
    },

    watch<K extends Kind>(kind: K, options: Parameters<Cluster["watch"]>[1]) {
      return watchEvents<Resources[K]>(server, collection(kind, options.namespace), {
        resourceVersion: options.resourceVersion,
        labelSelector: labelSelector(options.labels),
        signal: options.signal,
        silenceMs,
      });
    },

    async create<K extends Kind>(object: NewObject<Resources[K]>) {
      return (await server.request("POST", collection(object.kind as Kind, object.metadata.namespace), {
        query: writing,
        body: object,
      })) as Resources[K];
    },

    async update(object) {
      return (await server.request("PUT", pathOf(object), { query: writing, body: object })) as typeof object;
    },

    async updateStatus(object) {
      return (await server.request("PUT", `${pathOf(object)}/status`, {
        // After a rollback the CRD may be older than this program, which must still be able to end its reports.
        query: { ...writing, fieldValidation: "Ignore" },
        body: object,
      })) as typeof object;
    },

    async delete(kind, namespace, name, options = {}) {
      try {
        await server.request("DELETE", item(kind, namespace, name), {
          body: {
            kind: "DeleteOptions",
            apiVersion: "v1",
            // Without this the pods of a batch/v1 Job are orphaned.
            propagationPolicy: "Background",
            ...(options.uid ? { preconditions: { uid: options.uid } } : {}),
          },
        });
      } catch (error) {
        if (!isClusterError(error, "NotFound")) throw error;
      }
    },

    record: createRecorder(server),
  };
}

function labelSelector(labels: Record<string, string> | undefined): string | undefined {
  if (!labels) return undefined;
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(",");
}
