import { type Kind, labels, type ReportResource, type Resource, type Resources } from "../../schema/resources.ts";
import { isEndPhase } from "../../schema/status.ts";
import { type Cluster, isClusterError, type ListOptions, type WatchEvent } from "../port.ts";
import { createObjectCache, type Identity, type ObjectCache } from "./object-cache.ts";

/** How long a watch counts as alive after its last sign of life, in milliseconds. */
const ALIVE_MS = 5_000;

/** What a watch has observed of one kind in one namespace, or in all. */
type Scope = {
  objects: ObjectCache<Resource>;
  /** When the list or the watch was last heard from. */
  observedAt: number;
  /** The API server does not have our version, as after the restore of a backup. The next list of the scope ends that. */
  isAhead: boolean;
};

/**
 * A cluster that serves Reports and Jobs from the caller's watch while that watch is alive, as an informer does. This
 * saves most requests of a busy controller. If the watch has been silent for 5 s, or an object may have changed, it
 * asks the API server: a watch that breaks without an error is trusted for seconds only.
 *
 * The caller lists and watches (follow.ts): the list of a namespace, or of all, fills the cache, and the watch that
 * continues it keeps it up to date. There must be one watch for each namespace, or one for all. Own writes are in the
 * cache at once. Changes by others are missing while the watch lags behind: a write based on an old object fails with
 * `Conflict`, and then the next read asks the API server.
 *
 * Returned objects belong to the cache: callers must not change them.
 *
 * @param clock milliseconds that never decrease
 */
export function createCachedCluster(cluster: Cluster, clock: () => number = () => performance.now()): Cluster {
  const scopes = new Map<string, Scope>();

  /** The scope that observes a namespace. */
  function scopeOf(kind: Kind, namespace: string | undefined): Scope | undefined {
    return scopes.get(scopeKey(kind, namespace)) ?? scopes.get(scopeKey(kind, undefined));
  }

  function isAlive({ observedAt }: Scope): boolean {
    return clock() - observedAt < ALIVE_MS;
  }

  /**
   * The objects with a label while their watch is silent. The API server's cache has what the watch may have missed, and
   * need not catch up with its database, which takes up to a tenth of a second.
   */
  async function listAgain<K extends Kind>(kind: K, options: ListOptions, scope: Scope) {
    if (scope.isAhead) return await cluster.list(kind, options);
    try {
      return await cluster.list(kind, { ...options, notOlderThan: scope.objects.latestVersion() });
    } catch (error) {
      if (!isClusterError(error, "ResourceVersionTooLarge")) throw error;
      // A replica that is behind, or a cluster that was restored from a backup. It has waited for seconds: once is enough.
      scope.isAhead = true;
      return await cluster.list(kind, options);
    }
  }

  /** Lists a whole scope: the start of a watch. */
  async function listScope<K extends Kind>(kind: K, options: ListOptions) {
    const key = scopeKey(kind, options.namespace);
    const scope = scopes.get(key) ?? { objects: cacheFor(kind), observedAt: Number.NEGATIVE_INFINITY, isAhead: false };
    // Before the list, so that the cache records what is written in the meantime.
    scopes.set(key, scope);
    const begun = scope.objects.begin();
    const time = clock();
    const listed = await cluster.list(kind, options);
    scope.objects.replace(listed.items, listed.resourceVersion, begun);
    scope.observedAt = time;
    scope.isAhead = false;
    return listed;
  }

  /** Carries out a write, and caches the resulting object; if it fails, invalidates the object. */
  async function write<K extends Kind>(
    kind: K,
    metadata: Identity,
    request: () => Promise<Resources[K]>,
  ): Promise<Resources[K]> {
    const objects = scopeOf(kind, metadata.namespace)?.objects;
    try {
      const written = await request();
      objects?.written(written);
      return written;
    } catch (error) {
      objects?.invalidate(metadata);
      throw error;
    }
  }

  return {
    async get<K extends Kind>(kind: K, namespace: string, name: string) {
      const scope = scopeOf(kind, namespace);
      const known = scope && isAlive(scope) ? scope.objects.get(namespace, name) : undefined;
      return (known as Resources[K] | undefined) ?? cluster.get(kind, namespace, name);
    },

    async list<K extends Kind>(kind: K, options: ListOptions = {}) {
      const { namespace, labels: wanted } = options;
      if (options.notOlderThan !== undefined) return cluster.list(kind, options);
      if (wanted === undefined && cached[kind]) return listScope(kind, options);
      const value = wanted && indexedValue(kind, wanted);
      const scope = scopeOf(kind, namespace);
      const known = value === undefined ? undefined : scope?.objects.withLabel(value);
      if (scope === undefined || known === undefined || scope.objects.latestVersion() === "")
        return cluster.list(kind, options);
      if (!isAlive(scope)) return listAgain(kind, options, scope);
      const inScope = ({ metadata }: Resource) => namespace === undefined || metadata.namespace === namespace;
      return { ...known, items: known.items.filter(inScope) as Resources[K][] };
    },

    async *watch(kind, options) {
      const scope = options.labels === undefined ? scopes.get(scopeKey(kind, options.namespace)) : undefined;
      for await (const event of cluster.watch(kind, options)) {
        scope?.objects.apply(event as WatchEvent<Resource>);
        if (scope) scope.observedAt = clock();
        yield event;
      }
    },

    create<K extends Kind>(object: Parameters<typeof cluster.create<K>>[0]) {
      return write(object.kind as K, object.metadata, () => cluster.create<K>(object));
    },
    update<K extends Kind>(object: Resources[K]) {
      return write(object.kind as K, object.metadata, () => cluster.update<K>(object));
    },
    updateStatus<K extends Kind>(object: Resources[K]) {
      return write(object.kind as K, object.metadata, () => cluster.updateStatus<K>(object));
    },

    delete(kind, namespace, name, options) {
      // Before the request: the watch may report the deletion, and end the invalidation, before the response arrives.
      scopeOf(kind, namespace)?.objects.invalidate({ namespace, name });
      return cluster.delete(kind, namespace, name, options);
    },

    record: (event) => cluster.record(event),
  };
}

type CacheOptions = { label?: string; keep?: (object: Resource) => boolean };

/** What is cached, by kind. */
const cached: Partial<Record<Kind, CacheOptions>> = {
  // There are many ended reports, and they are rarely read again.
  Report: { keep: (report) => !hasEnded(report as ReportResource) },
  Job: { label: labels.report },
};

function cacheFor(kind: Kind): ObjectCache<Resource> {
  return createObjectCache<Resource>(cached[kind]);
}

function hasEnded({ metadata, status }: ReportResource): boolean {
  return metadata.deletionTimestamp === undefined && isEndPhase(status?.phase);
}

/** The value of the indexed label, if it is the only label that is asked for. */
function indexedValue(kind: Kind, wanted: Record<string, string>): string | undefined {
  const label = cached[kind]?.label;
  return label !== undefined && Object.keys(wanted).length === 1 ? wanted[label] : undefined;
}

function scopeKey(kind: Kind, namespace: string | undefined): string {
  return `${kind} ${namespace ?? ""}`;
}
