import type { Kind, Resources } from "../schema/resources.ts";
import type { Logger } from "../telemetry/log.ts";
import { repeat } from "../time/retry.ts";
import { type Cluster, isClusterError, type ListOptions } from "./port.ts";

export type FollowOptions<K extends Kind> = {
  namespace?: string;
  labels?: Record<string, string>;
  log: Logger;
  /** Receives all objects: at the start, when missed changes cannot be replayed, and at every resync. */
  onList: (items: Resources[K][]) => void;
  /** Receives each change since the list in order, also across interruptions, deletions included. */
  onEvent: (type: "ADDED" | "MODIFIED" | "DELETED", object: Resources[K]) => void;
  /** The interval at which to list again even without an error: a half-open connection fails silently. */
  resyncMs?: number;
};

const RESYNC_MS = 300_000;
/** A watch that lasted this long resets the backoff. */
const HEALTHY_MS = 5_000;
/** After this number of watches in a row without an event, the version itself may be wrong: list again. */
const MAX_EMPTY_WATCHES = 3;

/** Where the next watch continues. */
type Cursor = {
  resourceVersion: string;
  /** Watches from this version that ended without an event. */
  emptyWatches: number;
  /** Aborts when it is time to list again. */
  due: AbortSignal;
};

/**
 * Lists a kind, then watches it, until `signal` aborts. When a watch ends for any reason, it
 * waits briefly and continues from the version of the last event or bookmark. It lists again
 * when that version is too old, yields no events, or after `resyncMs`. Handlers must not throw,
 * and should only note that there is work to do.
 */
export async function follow<K extends Kind>(
  cluster: Cluster,
  kind: K,
  signal: AbortSignal,
  options: FollowOptions<K>,
): Promise<void> {
  const { log, resyncMs = RESYNC_MS } = options;
  let cursor: Cursor | undefined;
  const listAndWatch = async () => {
    try {
      cursor ??= await listAll(cluster, kind, resyncMs, options);
      await watchFrom(cursor, cluster, kind, signal, options);
    } finally {
      if (cursor?.due.aborted || (cursor && cursor.emptyWatches >= MAX_EMPTY_WATCHES)) cursor = undefined;
    }
  };
  const onError = (error: unknown) => {
    if (isClusterError(error, "Expired")) {
      log.info("watch is too old, listing again", { kind });
      cursor = undefined;
    } else log.warn("watch failed", { kind, error });
  };
  await repeat(listAndWatch, { signal, onError, healthyMs: Math.min(HEALTHY_MS, resyncMs) });
}

async function listAll<K extends Kind>(
  cluster: Cluster,
  kind: K,
  resyncMs: number,
  options: FollowOptions<K>,
): Promise<Cursor> {
  const due = AbortSignal.timeout(resyncMs);
  const { items, resourceVersion } = await cluster.list(kind, scopeOf(options));
  options.onList(items);
  return { resourceVersion, emptyWatches: 0, due };
}

/** Watches until the watch ends or throws, and advances the cursor. */
async function watchFrom<K extends Kind>(
  cursor: Cursor,
  cluster: Cluster,
  kind: K,
  signal: AbortSignal,
  options: FollowOptions<K>,
): Promise<void> {
  const { resourceVersion, due } = cursor;
  cursor.emptyWatches++;
  const until = AbortSignal.any([signal, due]);
  for await (const event of cluster.watch(kind, { ...scopeOf(options), resourceVersion, signal: until })) {
    if (signal.aborted) break;
    if (event.type !== "BOOKMARK") options.onEvent(event.type, event.object);
    // After the handler: if it throws, the event is delivered again.
    cursor.resourceVersion = event.type === "BOOKMARK" ? event.resourceVersion : event.object.metadata.resourceVersion;
    cursor.emptyWatches = 0;
  }
}

function scopeOf({ namespace, labels }: { namespace?: string; labels?: Record<string, string> }): ListOptions {
  return { ...(namespace ? { namespace } : {}), ...(labels ? { labels } : {}) };
}
