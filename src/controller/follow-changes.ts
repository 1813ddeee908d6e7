import { follow } from "../cluster/follow.ts";
import type { Cluster } from "../cluster/port.ts";
import type { ObjectMeta, Resources } from "../schema/resources.ts";
import type { Logger } from "../telemetry/log.ts";

type Followed = "Report" | "Schedule";

export type FollowChangesOptions<K extends Followed> = {
  /** All namespaces when undefined. */
  namespace: string | undefined;
  log: Logger;
  /** Receives the key, `<namespace>/<name>`, of a resource that may need work. */
  onChange: (key: string) => void;
  /** Receives every event, before it is filtered. */
  onEvent?: (type: "ADDED" | "MODIFIED" | "DELETED", resource: Resources[K]) => void;
};

/**
 * Follows Reports or Schedules until `signal` aborts, and reports which may need work: all
 * resources of a list, and those whose events change more than the status. Our own status writes
 * come back as events, which are ignored.
 */
export async function followChanges<K extends Followed>(
  cluster: Cluster,
  kind: K,
  signal: AbortSignal,
  { namespace, log, onChange, onEvent }: FollowChangesOptions<K>,
): Promise<void> {
  /** The change keys of existing resources, by key. */
  const known = new Map<string, string>();
  await follow(cluster, kind, signal, {
    ...(namespace !== undefined && { namespace }),
    log,
    onList(items) {
      // Later events are compared with the list.
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

/** A key that changes when anything but the status changes, so that the resource may need work. */
function changeKey({ uid, generation, deletionTimestamp, annotations, labels, finalizers }: ObjectMeta): string {
  return JSON.stringify([uid, generation, deletionTimestamp, annotations, labels, finalizers]);
}
