import type { JobResource } from "../schema/resources.ts";

/**
 * Kubernetes' own objects that the programs read or write in addition to the kinds of the
 * cluster port: namespaces, pods and their events, Secrets, and the scale of a Deployment.
 * Narrow on purpose: each call needs one right and reads no more than necessary.
 *
 * Two adapters implement it (`local/`, `kubernetes/`). One conformance suite requires the same
 * behaviour of both (test/support/core-resources-conformance.ts).
 */
export type CoreResources = {
  /** A namespace's annotations. @throws ClusterError `NotFound` */
  annotationsOf(namespace: string): Promise<Record<string, string>>;

  /**
   * The pods with all labels of a selector (`name=value,name=value`).
   * @param max the most pods to return
   */
  listPods(namespace: string, selector: string, max?: number): Promise<Pod[]>;

  /** Why no pods could be created for a Job, newest last. */
  creationFailures(namespace: string, jobUid: string): Promise<string[]>;

  /**
   * Creates a Secret with one entry, whose key is the Secret's name, in the namespace of the Job that
   * owns it; it is deleted with the Job. An existing Secret with that name is left as it is.
   */
  createSecret(owner: JobResource, name: string, value: string): Promise<void>;

  /** A missing Secret is not an error. */
  deleteSecret(namespace: string, name: string): Promise<void>;

  /** A Secret with its values decoded, or undefined. @throws ClusterError `Forbidden` */
  readSecret(namespace: string, name: string): Promise<Secret | undefined>;

  /** Sets how many replicas a Deployment has. @throws ClusterError `NotFound` */
  scale(namespace: string, deployment: string, replicas: number): Promise<void>;
};

/** The default for the most pods to return. */
export const MAX_PODS = 50;

/** The part of a v1 Pod that shows why it does not run. */
export type Pod = {
  metadata: {
    name: string;
    creationTimestamp: string;
    labels?: Record<string, string>;
    deletionTimestamp?: string;
    deletionGracePeriodSeconds?: number;
  };
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

/** The part of a v1 Secret that is read; values are decoded. */
export type Secret = { type: string; annotations: Record<string, string>; data: Record<string, string> };
