import { follow } from "../cluster/follow.ts";
import type { Cluster } from "../cluster/port.ts";
import type { ObjectMeta, Resources } from "../schema/resources.ts";
import type { Logger } from "../telemetry/log.ts";

type Followed = "Report" | "Schedule";

export type FollowChangesOptions<K extends Followed> = {
  /** All that may be looked at when left out. */
  namespace: string | undefined;
  log: Logger;
  /** Takes the key, `<namespace>/<name>`, of a resource that there may be work on. */
  onChange: (key: string) => void;
  /** Takes every event, before anything is decided about it. */
  onEvent?: (type: "ADDED" | "MODIFIED" | "DELETED", resource: Resources[K]) => void;
};

/**
 * Follows Reports or Schedules until `signal` aborts, and tells which may call for work: all of
 * a list, and of events those that change more than the status. Our own status writes come back
 * as events, and say nothing new.
 */
export async function followChanges<K extends Followed>(
  cluster: Cluster,
  kind: K,
  signal: AbortSignal,
  { namespace, log, onChange, onEvent }: FollowChangesOptions<K>,
): Promise<void> {
  /** Change keys of what is there, by key. */
  const known = new Map<string, string>();
  await follow(cluster, kind, signal, {
    ...(namespace !== undefined && { namespace }),
    log,
    onList(items) {
      // What a list shows is what later events are compared with.
      known.clear();
      for (const { metadata } of items) {
        known.set(keyOf(metadata), changeKey(metadata));
        onChange(keyOf(metadata));
      }
    },
    onEvent(type, resource) {
      onEvent?.(type, resource);
      const key = keyOf(resource.metadata);
      const changed = changeKey(resource.metadata);
      if (type === "DELETED") known.delete(key);
      else if (known.get(key) === changed) return;
      else known.set(key, changed);
      onChange(key);
    },
  });
}

function keyOf({ namespace, name }: ObjectMeta): string {
  return `${namespace}/${name}`;
}

/** What of a resource can call for work, all but its status: another change key is another state. */
function changeKey({ uid, generation, deletionTimestamp, annotations, labels, finalizers }: ObjectMeta): string {
  return JSON.stringify([uid, generation, deletionTimestamp, annotations, labels, finalizers]);
}
