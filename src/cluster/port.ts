import type { Kind, ObjectMeta, ReportResource, Resources, ScheduleResource } from "../schema/resources.ts";

/**
 * The cluster port: the part of Kubernetes that the API and the controller need. Two adapters
 * implement it (`local/`, `kubernetes/`). One conformance suite requires the same behaviour of
 * both (test/support/cluster-conformance.ts).
 *
 * Semantics are those of Kubernetes: optimistic concurrency by `resourceVersion`, finalizers keep
 * a deleted object, dependents of a deleted owner are removed in the background, only a change
 * of `spec` increments `generation`, and only `updateStatus` changes `status`.
 */
export type Cluster = {
  /** The current object, or undefined. Adapters do not cache; the controller's cache (cached-cluster.ts) may lag. */
  get<K extends Kind>(kind: K, namespace: string, name: string): Promise<Resources[K] | undefined>;

  /** All objects of a kind, with the version to start a watch from. */
  list<K extends Kind>(kind: K, options?: ListOptions): Promise<{ items: Resources[K][]; resourceVersion: string }>;

  /**
   * Changes after `resourceVersion`, in order, until `signal` aborts. Returns when the connection
   * is lost: the caller watches again from the version of the last bookmark or event (a DELETED
   * object has the version of its deletion).
   * @throws ClusterError `Expired` when that version is too old (HTTP 410): list again.
   */
  watch<K extends Kind>(kind: K, options: WatchOptions): AsyncIterable<WatchEvent<Resources[K]>>;

  /** @throws ClusterError `AlreadyExists` when the name is taken, `Invalid` for a wrong spec. */
  create<K extends Kind>(object: NewObject<Resources[K]>): Promise<Resources[K]>;

  /**
   * Replaces metadata (labels, annotations, finalizers, ownerReferences) and spec.
   * Removing the last finalizer of a deleted object removes the object.
   * @throws ClusterError `Conflict` when resourceVersion is not the current one, `NotFound`.
   */
  update<K extends Kind>(object: Resources[K]): Promise<Resources[K]>;

  /** Replaces `status` only. @throws ClusterError `Conflict`, `NotFound`. */
  updateStatus<K extends Kind>(object: Resources[K]): Promise<Resources[K]>;

  /**
   * Deletes with Background propagation. An object with finalizers gets a
   * deletionTimestamp and stays until they are gone. A missing object is not an error.
   * `uid`, when given, must be the object's, otherwise `Conflict`: never delete another object with the same name.
   */
  delete(kind: Kind, namespace: string, name: string, options?: { uid?: string }): Promise<void>;

  /** Records an Event about an object, for people; repetitions are counted. */
  record(event: ClusterEvent): Promise<void>;
};

export type ListOptions = {
  /** One namespace; all of them when left out. */
  namespace?: string;
  /** Labels that must all be equal. */
  labels?: Record<string, string>;
  /**
   * Any state that is not older than this version will do: the API server then need not wait until its own cache has
   * caught up with its database. Left out: the newest.
   * @throws ClusterError `ResourceVersionTooLarge` when the API server does not have that version
   */
  notOlderThan?: string;
};

export type WatchOptions = Omit<ListOptions, "notOlderThan"> & { resourceVersion: string; signal: AbortSignal };

export type WatchEvent<Object> =
  | { type: "ADDED" | "MODIFIED" | "DELETED"; object: Object }
  /** All changes up to this version have been sent: resume from here. */
  | { type: "BOOKMARK"; resourceVersion: string };

/** An event about an object, for people: no program may depend on it. */
export type ClusterEvent = {
  about: ReportResource | ScheduleResource;
  type: "Normal" | "Warning";
  /** In CamelCase. */
  reason: string;
  message: string;
};

/** An object to create: the server fills in uid, versions and times. */
export type NewObject<Object extends { metadata: ObjectMeta }> = Omit<Object, "metadata" | "status"> & {
  metadata: Pick<ObjectMeta, "name" | "namespace"> & Partial<ObjectMeta>;
};

/** Why a call to the cluster failed; the names are those of Kubernetes' Status reasons and their causes. */
export type ClusterErrorReason =
  | "NotFound"
  | "AlreadyExists"
  | "Conflict"
  | "Invalid"
  | "Forbidden"
  | "Expired"
  | "ResourceVersionTooLarge"
  | "Unavailable";

/** The only error that adapters throw on purpose. */
export class ClusterError extends Error {
  readonly reason: ClusterErrorReason;

  constructor(reason: ClusterErrorReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ClusterError";
    this.reason = reason;
  }
}

/** True when `error` is a ClusterError with this reason. */
export function isClusterError(error: unknown, reason: ClusterErrorReason): error is ClusterError {
  return error instanceof ClusterError && error.reason === reason;
}
