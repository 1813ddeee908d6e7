import type { Kind, Resources } from "../schema/resources.ts";
import type { Logger } from "../telemetry/log.ts";
import { repeat } from "../time/retry.ts";
import { type Cluster, isClusterError, type ListOptions } from "./port.ts";

export { pause } from "../time/retry.ts";

export type FollowOptions<K extends Kind> = {
  namespace?: string;
  labels?: Record<string, string>;
  log: Logger;
  /** Everything there is: at the start, when what was missed cannot be told, and now and then. */
  onList: (items: Resources[K][]) => void;
  /** What changed since, in order; across interruptions too, deletions among it. */
  onEvent: (type: "ADDED" | "MODIFIED" | "DELETED", object: Resources[K]) => void;
  /** Lists anew that often even if nothing seems wrong: a half open connection tells nobody. */
  resyncMs?: number;
};

const RESYNC_MS = 300_000;
/** A watch that held this long was no failure. */
const HEALTHY_MS = 5_000;
/** So many watches in a row from one version that told nothing: the version may be what is wrong. */
const MAX_FRUITLESS = 3;

/** Where the next watch goes on. */
type Place = {
  resourceVersion: string;
  /** Watches from this version that ended without a word. */
  fruitless: number;
  /** Aborts when it is time to list anew. */
  due: AbortSignal;
};

/**
 * Lists a kind, then watches it, until `signal` aborts. Whatever ends a watch, it waits
 * a little and goes on from the last version that it saw, of an event or of a bookmark.
 * It lists anew when that version is too old, leads nowhere or has been followed for
 * `resyncMs`. Handlers must not throw and should do no more than note that there is
 * something to do.
 */
export async function follow<K extends Kind>(
  cluster: Cluster,
  kind: K,
  signal: AbortSignal,
  options: FollowOptions<K>,
): Promise<void> {
  const { log, resyncMs = RESYNC_MS } = options;
  let place: Place | undefined;
  const listAndWatch = async () => {
    try {
      place ??= await listed(cluster, kind, resyncMs, options);
      await watchFrom(place, cluster, kind, signal, options);
    } finally {
      if (place?.due.aborted || (place && place.fruitless >= MAX_FRUITLESS)) place = undefined;
    }
  };
  const onError = (error: unknown) => {
    if (isClusterError(error, "Expired")) {
      log.info("watch is too old, listing anew", { kind });
      place = undefined;
    } else log.warn("watch failed", { kind, error: error instanceof Error ? error.message : String(error) });
  };
  await repeat(listAndWatch, { signal, onError, healthyMs: Math.min(HEALTHY_MS, resyncMs) });
}

async function listed<K extends Kind>(
  cluster: Cluster,
  kind: K,
  resyncMs: number,
  options: FollowOptions<K>,
): Promise<Place> {
  const due = AbortSignal.timeout(resyncMs);
  const { items, resourceVersion } = await cluster.list(kind, scopeOf(options));
  options.onList(items);
  return { resourceVersion, fruitless: 0, due };
}

/** Watches until the watch ends or throws; `place` moves along. */
async function watchFrom<K extends Kind>(
  place: Place,
  cluster: Cluster,
  kind: K,
  signal: AbortSignal,
  options: FollowOptions<K>,
): Promise<void> {
  const { resourceVersion, due } = place;
  place.fruitless++;
  const until = AbortSignal.any([signal, due]);
  for await (const event of cluster.watch(kind, { ...scopeOf(options), resourceVersion, signal: until })) {
    if (signal.aborted) break;
    if (event.type !== "BOOKMARK") options.onEvent(event.type, event.object);
    // Only now: what a handler has not taken is told again.
    place.resourceVersion = event.type === "BOOKMARK" ? event.resourceVersion : event.object.metadata.resourceVersion;
    place.fruitless = 0;
  }
}

function scopeOf({ namespace, labels }: { namespace?: string; labels?: Record<string, string> }): ListOptions {
  return { ...(namespace ? { namespace } : {}), ...(labels ? { labels } : {}) };
}
