import type { ApiServerConfig } from "../../src/cluster/kubernetes/api-server-config.ts";
import { createKubernetesCluster } from "../../src/cluster/kubernetes/kubernetes-cluster.ts";
import { createApiServer } from "../../src/cluster/kubernetes/request.ts";
import type { JobResource } from "../../src/schema/resources.ts";

const AT_ONCE = 4;

/**
 * Plays the Job controller, the scheduler and a node: each Job with parallelism gets one pod, which is ready at once
 * and never ends.
 */
export function startFakeNode(config: ApiServerConfig, namespace: string) {
  const server = createApiServer(config);
  const stop = new AbortController();
  const waiting: JobResource[] = [];
  const served = new Set<string>();
  let wake = () => {};
  const workers = Array.from({ length: AT_ONCE }, async () => {
    while (!stop.signal.aborted) {
      const job = waiting.shift();
      if (job) await acknowledge(job);
      else await new Promise<void>((resolve) => (wake = chain(wake, resolve)));
    }
  });
  const watching = (async () => {
    const cluster = createKubernetesCluster(config);
    let { resourceVersion } = await cluster.list("Job", { namespace });
    while (!stop.signal.aborted)
      for await (const event of cluster.watch("Job", { namespace, resourceVersion, signal: stop.signal })) {
        resourceVersion = event.type === "BOOKMARK" ? event.resourceVersion : event.object.metadata.resourceVersion;
        if (event.type === "BOOKMARK" || event.type === "DELETED") continue;
        const { metadata, spec } = event.object;
        if (spec.parallelism === 0 || served.has(metadata.uid)) continue;
        served.add(metadata.uid);
        waiting.push(event.object);
        wake();
        wake = () => {};
      }
  })();

  async function acknowledge({ metadata: { name }, spec }: JobResource): Promise<void> {
    const now = new Date().toISOString().replace(/\.\d+Z$/, "Z");
    const pods = `/api/v1/namespaces/${namespace}/pods`;
    const job = `/apis/batch/v1/namespaces/${namespace}/jobs/${name}`;
    const patch = (path: string, status: unknown) =>
      server.request("PATCH", `${path}/status`, { contentType: "application/merge-patch+json", body: { status } });
    const labels = { ...spec.template.metadata?.labels, "job-name": name };
    await server.request("POST", pods, {
      body: {
        ...{ apiVersion: "v1", kind: "Pod", metadata: { name: `${name}-1`, labels } },
        spec: { ...spec.template.spec, nodeName: "fake" },
      },
    });
    const conditions = [{ type: "Ready", status: "True", lastTransitionTime: now }];
    await patch(`${pods}/${name}-1`, { phase: "Running", conditions, startTime: now });
    await patch(job, { active: 1, ready: 1, startTime: now });
  }

  return {
    /** Jobs that it has seen with parallelism. */
    get jobs() {
      return served.size;
    },
    async stop() {
      stop.abort();
      wake();
      await Promise.all([watching, ...workers]);
    },
  };
}

function chain(first: () => void, then: () => void): () => void {
  return () => {
    first();
    then();
  };
}
