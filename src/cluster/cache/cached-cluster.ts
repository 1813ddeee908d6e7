import { type Kind, labels, type ReportResource, type Resource, type Resources } from "../../schema/resources.ts";
import type { Cluster, ListOptions, WatchEvent } from "../port.ts";
import { createObjectCache, type Identity, type ObjectCache } from "./object-cache.ts";

/** For how long after it has shown something a watch counts as alive. */
const ALIVE_MS = 5_000;

/** What a watch shows of one kind in one namespace, or in all. */
type Scope = {
  objects: ObjectCache<Resource>;
  /** When the list or the watch has last shown something. */
  shownAt: number;
};

/**
 * A cluster whose Reports and Jobs are read from what a watch has shown, as an informer does, while that watch is alive.
 * Where much happens, that spares most requests. Where nothing has happened for some seconds, or an object may be
 * different from what is known, the cluster is asked as before: a watch that is broken in silence is believed for
 * seconds only.
 *
 * The watch is the caller's own (follow.ts): the list of a namespace, or of all, fills the cache, and the watch that
 * continues it keeps it up to date; there must be one for each namespace, or one for all. Own writes are in the cache at
 * once. What others did may be missing for as long as the watch lags behind: a write that builds on it fails with
 * `Conflict`, and then the next read asks the cluster.
 *
 * Objects that are returned belong to the cache: nobody may change them.
 *
 * @param clock milliseconds that never decrease
 */
export function createCachedCluster(cluster: Cluster, clock: () => number = () => performance.now()): Cluster {
  const scopes = new Map<string, Scope>();

  /** The scope that shows a namespace. */
  function scopeOf(kind: Kind, namespace: string | undefined): Scope | undefined {
    return scopes.get(scopeKey(kind, namespace)) ?? scopes.get(scopeKey(kind, undefined));
  }

  /** The objects that may be read. */
  function shown(kind: Kind, namespace: string | undefined): ObjectCache<Resource> | undefined {
    const scope = scopeOf(kind, namespace);
    return scope && clock() - scope.shownAt < ALIVE_MS ? scope.objects : undefined;
  }

  /** Lists a whole scope, which is what a watch starts with. */
  async function listScope<K extends Kind>(kind: K, options: ListOptions) {
    const key = scopeKey(kind, options.namespace);
    const scope = scopes.get(key) ?? { objects: cacheFor(kind), shownAt: Number.NEGATIVE_INFINITY };
    // Before the list: it notes what is written meanwhile.
    scopes.set(key, scope);
    const begun = scope.objects.begin();
    const time = clock();
    const listed = await cluster.list(kind, options);
    scope.objects.replace(listed.items, listed.resourceVersion, begun);
    scope.shownAt = time;
    return listed;
  }

  /** Carries out a write, and remembers the object as it is now, or that nobody knows how it is. */
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
      objects?.doubt(metadata);
      throw error;
    }
  }

  return {
    async get<K extends Kind>(kind: K, namespace: string, name: string) {
      const known = shown(kind, namespace)?.get(namespace, name);
      return (known as Resources[K] | undefined) ?? cluster.get(kind, namespace, name);
    },

    async list<K extends Kind>(kind: K, options: ListOptions = {}) {
      const { namespace, labels: wanted } = options;
      if (wanted === undefined && cached[kind]) return listScope(kind, options);
      const value = wanted && indexedValue(kind, wanted);
      const known = value === undefined ? undefined : shown(kind, namespace)?.withLabel(value);
      if (known === undefined) return cluster.list(kind, options);
      const inScope = ({ metadata }: Resource) => namespace === undefined || metadata.namespace === namespace;
      return { ...known, items: known.items.filter(inScope) as Resources[K][] };
    },

    async *watch(kind, options) {
      const scope = options.labels === undefined ? scopes.get(scopeKey(kind, options.namespace)) : undefined;
      for await (const event of cluster.watch(kind, options)) {
        scope?.objects.apply(event as WatchEvent<Resource>);
        if (scope) scope.shownAt = clock();
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
      // Before the request: the watch may show the end, which ends the doubt, before the response is here.
      scopeOf(kind, namespace)?.objects.doubt({ namespace, name });
      return cluster.delete(kind, namespace, name, options);
    },

    record: (event) => cluster.record(event),
  };
}

type CacheOptions = { label?: string; keep?: (object: Resource) => boolean };

/** What is kept, by kind. */
const cached: Partial<Record<Kind, CacheOptions>> = {
  // There are many ended ones, and they are seldom read again.
  Report: { keep: (report) => !hasEnded(report as ReportResource) },
  Job: { label: labels.report },
};

function cacheFor(kind: Kind): ObjectCache<Resource> {
  return createObjectCache<Resource>(cached[kind]);
}

function hasEnded({ metadata, status }: ReportResource): boolean {
  return metadata.deletionTimestamp === undefined && (status?.phase === "Complete" || status?.phase === "Failed");
}

/** The value of the label that objects are looked up by, if that is all that is asked for. */
function indexedValue(kind: Kind, wanted: Record<string, string>): string | undefined {
  const label = cached[kind]?.label;
  return label !== undefined && Object.keys(wanted).length === 1 ? wanted[label] : undefined;
}

function scopeKey(kind: Kind, namespace: string | undefined): string {
  return `${kind} ${namespace ?? ""}`;
}
