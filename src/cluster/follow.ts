import { setTimeout as sleep } from "node:timers/promises";
import type { Kind, Resources } from "../schema/resources.ts";
import type { Logger } from "../telemetry/log.ts";
import { type Cluster, isClusterError } from "./port.ts";

export type FollowOptions<K extends Kind> = {
  namespace?: string;
  labels?: Record<string, string>;
  log: Logger;
  /** Everything there is: at the start, after every interruption, and now and then. */
  onList: (items: Resources[K][]) => void;
  onEvent: (type: "ADDED" | "MODIFIED" | "DELETED", object: Resources[K]) => void;
  /** Lists anew that often even if nothing seems wrong: a half open connection tells nobody. */
  resyncMs?: number;
};

const RESYNC_MS = 300_000;
/** A watch that held this long was no failure. */
const HEALTHY_MS = 5_000;

/**
 * Lists a kind, then watches it, until `signal` aborts; whatever ends a watch, it
 * waits a little and starts over. Handlers must not throw and should do no more
 * than note that there is something to do.
 */
export async function follow<K extends Kind>(
  cluster: Cluster,
  kind: K,
  signal: AbortSignal,
  options: FollowOptions<K>,
): Promise<void> {
  const { log, resyncMs = RESYNC_MS } = options;
  for (let failures = 0; !signal.aborted; failures++) {
    const started = performance.now();
    try {
      await listAndWatch(cluster, kind, AbortSignal.any([signal, AbortSignal.timeout(resyncMs)]), options);
    } catch (error) {
      if (isClusterError(error, "Expired")) log.info("watch is too old, listing anew", { kind });
      else log.warn("watch failed", { kind, error: error instanceof Error ? error.message : String(error) });
    }
    if (performance.now() - started >= Math.min(HEALTHY_MS, resyncMs)) failures = 0;
    await pause(followDelay(failures, Math.random()), signal);
  }
}

async function listAndWatch<K extends Kind>(
  cluster: Cluster,
  kind: K,
  signal: AbortSignal,
  { namespace, labels, onList, onEvent }: FollowOptions<K>,
): Promise<void> {
  const scope = { ...(namespace ? { namespace } : {}), ...(labels ? { labels } : {}) };
  const { items, resourceVersion } = await cluster.list(kind, scope);
  onList(items);
  for await (const event of cluster.watch(kind, { ...scope, resourceVersion, signal })) {
    if (signal.aborted) break;
    if (event.type !== "BOOKMARK") onEvent(event.type, event.object);
  }
}

/** Milliseconds before the next attempt: 0.1 s doubling to 30 s, of which half is random. */
export function followDelay(failures: number, random: number): number {
  const full = Math.min(30_000, 100 * 2 ** failures);
  return full / 2 + (full / 2) * random;
}

/** Sleeps; resolves early, and does not reject, when `signal` aborts. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => {});
}
