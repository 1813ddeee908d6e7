import type { ObjectMeta } from "../../schema/resources.ts";
import type { WatchEvent } from "../port.ts";

/**
 * The objects of one kind and scope, as a list and the watch that continues it have shown them, and as they were after
 * our own writes. An older state never replaces a newer one, in whatever order they arrive.
 */
export type ObjectCache<Object> = {
  /** Marks the beginning of a list, for `replace`. */
  begin(): Beginning;
  /** All objects at a version. Newer states of own writes stay. @param begun what `begin` returned before the list */
  replace(items: readonly Object[], resourceVersion: string, begun: Beginning): void;
  apply(event: WatchEvent<Object>): void;
  /** The response to an own write: the object as it was after it. */
  written(object: Object): void;
  /**
   * The object may not be as it is known: it is being deleted, or a write has failed. Until its end is shown, a list is
   * begun or a write succeeds, reads return undefined.
   */
  doubt(metadata: Identity): void;
  /** The object; undefined when it is not known, which does not mean that there is none. */
  get(namespace: string, name: string): Object | undefined;
  /** All objects with this value of the indexed label, as of a version; undefined when they are not known. */
  withLabel(value: string): { items: Object[]; resourceVersion: string } | undefined;
};

/** What was known when a list began. */
type Beginning = { doubts: number; shownUpTo: string };

/** What identifies an object, and tells its place in the index. */
export type Identity = Pick<ObjectMeta, "namespace" | "name" | "labels">;

export type ObjectCacheOptions<Object> = {
  /** The label to look objects up by. */
  label?: string;
  /** False for objects that nobody reads again: they are not kept. */
  keep?: (object: Object) => boolean;
};

export function createObjectCache<Object extends { metadata: ObjectMeta }>({
  label,
  keep = () => true,
}: ObjectCacheOptions<Object> = {}): ObjectCache<Object> {
  const objects = new Map<string, Object>();
  const keysByLabel = new Map<string, Set<string>>();
  /** Doubts by key, numbered as they came. */
  const doubts = new Map<string, { value: string | undefined; number: number }>();
  let doubtsSoFar = 0;
  /** The watch has shown all changes up to here. */
  let shownUpTo = "";

  function indexed({ labels }: Pick<ObjectMeta, "labels">): string | undefined {
    return label === undefined ? undefined : labels?.[label];
  }

  function put(object: Object): void {
    const key = keyOf(object.metadata);
    const known = objects.get(key);
    const latest = known && !isNewer(object.metadata.resourceVersion, known.metadata.resourceVersion) ? known : object;
    // Before the watch has shown the state that nobody reads again, an older one would come back.
    const kept = keep(latest) || isNewer(latest.metadata.resourceVersion, shownUpTo);
    if (latest === known && kept) return;
    if (known) remove(key, known);
    if (!kept) return;
    objects.set(key, withoutManagedFields(latest));
    const value = indexed(latest.metadata);
    if (value === undefined) return;
    const keys = keysByLabel.get(value) ?? new Set();
    keysByLabel.set(value, keys.add(key));
  }

  function remove(key: string, { metadata }: Object): void {
    objects.delete(key);
    const value = indexed(metadata);
    if (value === undefined) return;
    const keys = keysByLabel.get(value);
    keys?.delete(key);
    if (keys?.size === 0) keysByLabel.delete(value);
  }

  function doubt(metadata: Identity): void {
    const key = keyOf(metadata);
    const value = indexed(objects.get(key)?.metadata ?? metadata);
    doubts.set(key, { value, number: ++doubtsSoFar });
  }

  return {
    begin: () => ({ doubts: doubtsSoFar, shownUpTo }),
    replace(items, resourceVersion, begun) {
      // Versions have gone back, as after the restore of a backup: what was known is of no use.
      if (begun.shownUpTo !== "" && isNewer(begun.shownUpTo, resourceVersion)) {
        objects.clear();
        keysByLabel.clear();
      }
      shownUpTo = resourceVersion;
      const listed = new Set(items.map(({ metadata }) => keyOf(metadata)));
      for (const [key, known] of objects)
        if (!listed.has(key) && !isNewer(known.metadata.resourceVersion, resourceVersion)) remove(key, known);
      for (const object of items) put(object);
      for (const [key, { number }] of doubts) if (number <= begun.doubts) doubts.delete(key);
    },
    apply(event) {
      const version = event.type === "BOOKMARK" ? event.resourceVersion : event.object.metadata.resourceVersion;
      // Shown before: a watch that began at an older version.
      if (!isNewer(version, shownUpTo)) return;
      shownUpTo = version;
      if (event.type === "BOOKMARK") return;
      if (event.type !== "DELETED") return put(event.object);
      const { metadata } = event.object;
      const key = keyOf(metadata);
      const known = objects.get(key);
      if (known && isNewer(known.metadata.resourceVersion, metadata.resourceVersion)) return;
      if (known) remove(key, known);
      doubts.delete(key);
    },
    written(object) {
      const { metadata } = object;
      const key = keyOf(metadata);
      doubts.delete(key);
      // Removing the last finalizer of a deleted object removes the object.
      const released = metadata.deletionTimestamp !== undefined && !metadata.finalizers?.length;
      // The watch may be faster. If it has shown that the object is gone, the response must not bring it back.
      if (released && objects.has(key)) doubt(metadata);
      else if (!released && isNewer(metadata.resourceVersion, shownUpTo)) put(object);
    },
    doubt,
    get(namespace, name) {
      const key = keyOf({ namespace, name });
      return doubts.has(key) ? undefined : objects.get(key);
    },
    withLabel(value) {
      for (const doubt of doubts.values()) if (doubt.value === value) return undefined;
      const items = [...(keysByLabel.get(value) ?? [])].flatMap((key) => objects.get(key) ?? []);
      return { items, resourceVersion: shownUpTo };
    },
  };
}

function keyOf({ namespace, name }: { namespace: string; name: string }): string {
  return `${namespace}/${name}`;
}

/**
 * True when version `a` is later than `b`. Versions of one kind are decimal numbers that can be compared (Kubernetes API
 * concepts, "Resource versions"; guaranteed since 1.35, and true of all servers before). A version that is not decimal
 * counts as later.
 */
function isNewer(a: string, b: string): boolean {
  if (!DECIMAL.test(a) || !DECIMAL.test(b)) return a !== b;
  return a.length === b.length ? a > b : a.length > b.length;
}

const DECIMAL = /^[1-9][0-9]*$/;

/** Nearly half of an object, which a server keeps when a write leaves it out. */
function withoutManagedFields<Object extends { metadata: ObjectMeta }>(object: Object): Object {
  const { managedFields: _, ...metadata } = object.metadata as ObjectMeta & { managedFields?: unknown };
  return { ...object, metadata };
}
