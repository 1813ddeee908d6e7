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
  /** The metadata of a resource once it is admitted; unchanged when left out. */
  afterAdmission?: (metadata: ObjectMeta) => ObjectMeta;
};

/**
 * Follows Reports or Schedules until `signal` aborts, and reports which may need work: all
 * resources of a list, and those whose events change more than the status. Our own writes, of the
 * status and of `afterAdmission`, come back as events, which are ignored.
 */
export async function followChanges<K extends Followed>(
  cluster: Cluster,
  kind: K,
  signal: AbortSignal,
  { namespace, log, onChange, onEvent, afterAdmission = (metadata) => metadata }: FollowChangesOptions<K>,
): Promise<void> {
  /** The change keys that existing resources have once they are admitted, by `<namespace>/<name>`. */
  const known = new Map<string, string>();
  await follow(cluster, kind, signal, {
    ...(namespace !== undefined && { namespace }),
    log,
    onList(items) {
      // Later events are compared with the list.
      known.clear();
      for (const { metadata } of items) {
        known.set(keyOf(metadata), changeKey(afterAdmission(metadata)));
        onChange(keyOf(metadata));
      }
    },
    onEvent(type, resource) {
      onEvent?.(type, resource);
      const key = keyOf(resource.metadata);
      if (type === "DELETED") known.delete(key);
      else if (known.get(key) === changeKey(resource.metadata)) return;
      else known.set(key, changeKey(afterAdmission(resource.metadata)));
      onChange(key);
    },
  });
}

function keyOf({ namespace, name }: ObjectMeta): string {
  return `${namespace}/${name}`;
}

/** A key that changes when anything but the status changes, so that the resource may need work. */
function changeKey({ uid, generation, deletionTimestamp, annotations, labels, finalizers }: ObjectMeta): string {
  const sorted = (map: Record<string, string> = {}) => Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([uid, generation, deletionTimestamp, sorted(annotations), sorted(labels), finalizers ?? []]);
}
