import type { JobResource } from "../../schema/resources.ts";
import { type CoreResources, MAX_PODS, type Pod } from "../core-resources.ts";
import { type Cluster, ClusterError } from "../port.ts";
import type { LocalNode, LocalSecret } from "./node.ts";

const SECRET_TYPE = "Opaque";

/**
 * The core resources of one machine: one namespace without annotations, the processes of its Jobs
 * as pods, Secrets in memory, and no Deployments.
 */
export function createLocalCoreResources(options: {
  cluster: Pick<Cluster, "get">;
  node: LocalNode;
  namespace: string;
}): CoreResources {
  const { cluster, node, namespace: own } = options;

  /** Removes the Secrets whose Job is gone. Runs when Secrets are read or written. */
  async function collectGarbage(): Promise<void> {
    for (const [name, secret] of node.secrets) {
      const { owner } = secret;
      if (!owner) continue;
      const job = await cluster.get("Job", owner.namespace, owner.name);
      // It may have been replaced in the meantime.
      if (job?.metadata.uid !== owner.uid && node.secrets.get(name) === secret) node.secrets.delete(name);
    }
  }

  return {
    async annotationsOf(namespace) {
      if (namespace === own) return {};
      throw new ClusterError("NotFound", `Namespace "${namespace}" not found: this machine has only ${own}.`);
    },
    async listPods(namespace, selector, max = MAX_PODS) {
      if (namespace !== own) return [];
      const pods = [...node.jobs.values()].flatMap((job) => job.pods());
      return pods.filter((pod) => matches(pod, selector)).slice(0, max);
    },
    creationFailures: async () => [],
    async createSecret(owner, name, value) {
      if (!node.secrets.has(name)) node.secrets.set(name, secretOf(owner, name, value));
      await collectGarbage();
    },
    async deleteSecret(namespace, name) {
      if (namespace === own) node.secrets.delete(name);
    },
    async readSecret(namespace, name) {
      if (namespace !== own) return undefined;
      await collectGarbage();
      const secret = node.secrets.get(name);
      return secret && { type: SECRET_TYPE, annotations: {}, data: { ...secret.data } };
    },
    async scale(_, deployment) {
      throw new ClusterError("NotFound", `Deployment "${deployment}" not found: the local cluster has no Deployments.`);
    },
  };
}

function secretOf({ metadata: { namespace, name: job, uid } }: JobResource, name: string, value: string): LocalSecret {
  return { owner: { namespace, name: job, uid }, data: { [name]: value } };
}

function matches({ metadata: { labels } }: Pod, selector: string): boolean {
  return selector.split(",").every((term) => {
    const [name = "", value] = term.split("=");
    return labels?.[name] === value;
  });
}
