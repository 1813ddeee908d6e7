import type { ObjectMeta } from "../../schema/resources.ts";
import type { WatchEvent } from "../port.ts";

/**
 * The objects of one kind and scope, from a list, the watch that continues it, and our own writes. An older state never
 * replaces a newer one, in whatever order they arrive.
 */
export type ObjectCache<Object> = {
  /** Marks the beginning of a list, for `replace`. */
  begin(): Beginning;
  /** Takes over a list; newer states of own writes stay. @param begun what `begin` returned before the list */
  replace(items: readonly Object[], resourceVersion: string, begun: Beginning): void;
  apply(event: WatchEvent<Object>): void;
  /** Takes over the object from the response to an own write. */
  written(object: Object): void;
  /**
   * Marks an object as possibly different from the cached one: it is being deleted, or a write has failed. Reads return
   * undefined until its deletion is observed, a later list has been taken over or a write succeeds.
   */
  invalidate(metadata: Identity): void;
  /** The object; undefined when it is not cached, which does not mean that it does not exist. */
  get(namespace: string, name: string): Object | undefined;
  /** All objects with this value of the indexed label, and their version; undefined when one of them is invalidated. */
  withLabel(value: string): { items: Object[]; resourceVersion: string } | undefined;
  /** The newest version that was observed or written; "" before the first list. */
  latestVersion(): string;
};

/** The state of the cache when a list began. */
type Beginning = { invalidations: number; observedVersion: string };

/** What identifies an object, and its labels, which give its place in the index. */
export type Identity = Pick<ObjectMeta, "namespace" | "name" | "labels">;

export type ObjectCacheOptions<Object> = {
  /** The label to look objects up by. */
  label?: string;
  /** False for objects that nobody reads again: they are not cached. */
  keep?: (object: Object) => boolean;
};

export function createObjectCache<Object extends { metadata: ObjectMeta }>({
  label,
  keep = () => true,
}: ObjectCacheOptions<Object> = {}): ObjectCache<Object> {
  const objects = new Map<string, Object>();
  const keysByLabel = new Map<string, Set<string>>();
  /** Invalidations by key, numbered in the order in which they came. */
  const invalidations = new Map<string, { value: string | undefined; number: number }>();
  let invalidationCount = 0;
  /** The list and the watch have reported all changes up to this version. */
  let observedVersion = "";
  /** The newest version of an own write. */
  let writtenVersion = "";

  function indexed({ labels }: Pick<ObjectMeta, "labels">): string | undefined {
    return label === undefined ? undefined : labels?.[label];
  }

  function put(object: Object): void {
    const key = keyOf(object.metadata);
    const known = objects.get(key);
    const latest = known && !isNewer(object.metadata.resourceVersion, known.metadata.resourceVersion) ? known : object;
    // Kept until the watch has reported it: otherwise an older event would bring back an older state.
    const kept = keep(latest) || isNewer(latest.metadata.resourceVersion, observedVersion);
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

  function invalidate(metadata: Identity): void {
    const key = keyOf(metadata);
    const value = indexed(objects.get(key)?.metadata ?? metadata);
    invalidations.set(key, { value, number: ++invalidationCount });
  }

  return {
    begin: () => ({ invalidations: invalidationCount, observedVersion }),
    replace(items, resourceVersion, begun) {
      // Versions have gone back, as after the restore of a backup: the cached objects are useless.
      if (begun.observedVersion !== "" && isNewer(begun.observedVersion, resourceVersion)) {
        objects.clear();
        keysByLabel.clear();
        writtenVersion = "";
      }
      observedVersion = resourceVersion;
      const listed = new Set(items.map(({ metadata }) => keyOf(metadata)));
      for (const [key, known] of objects)
        if (!listed.has(key) && !isNewer(known.metadata.resourceVersion, resourceVersion)) remove(key, known);
      for (const object of items) put(object);
      for (const [key, { number }] of invalidations) if (number <= begun.invalidations) invalidations.delete(key);
    },
    apply(event) {
      const version = event.type === "BOOKMARK" ? event.resourceVersion : event.object.metadata.resourceVersion;
      // Reported before: the watch began at an older version.
      if (!isNewer(version, observedVersion)) return;
      observedVersion = version;
      if (event.type === "BOOKMARK") return;
      if (event.type !== "DELETED") return put(event.object);
      const { metadata } = event.object;
      const key = keyOf(metadata);
      const known = objects.get(key);
      if (known && isNewer(known.metadata.resourceVersion, metadata.resourceVersion)) return;
      if (known) remove(key, known);
      invalidations.delete(key);
    },
    written(object) {
      const { metadata } = object;
      const key = keyOf(metadata);
      invalidations.delete(key);
      if (writtenVersion === "" || isNewer(metadata.resourceVersion, writtenVersion))
        writtenVersion = metadata.resourceVersion;
      // Removing the last finalizer of a deleted object removes the object.
      const released = metadata.deletionTimestamp !== undefined && !metadata.finalizers?.length;
      // The watch may be faster. If it has reported the deletion, the response must not bring the object back.
      if (released && objects.has(key)) invalidate(metadata);
      else if (!released && isNewer(metadata.resourceVersion, observedVersion)) put(object);
    },
    invalidate,
    get(namespace, name) {
      const key = keyOf({ namespace, name });
      return invalidations.has(key) ? undefined : objects.get(key);
    },
    withLabel(value) {
      for (const invalidation of invalidations.values()) if (invalidation.value === value) return undefined;
      const items = [...(keysByLabel.get(value) ?? [])].flatMap((key) => objects.get(key) ?? []);
      return { items, resourceVersion: observedVersion };
    },
    latestVersion() {
      if (observedVersion === "" || writtenVersion === "") return observedVersion;
      return isNewer(writtenVersion, observedVersion) ? writtenVersion : observedVersion;
    },
  };
}

function keyOf({ namespace, name }: { namespace: string; name: string }): string {
  return `${namespace}/${name}`;
}

/**
 * True when version `a` is later than `b`. Versions of one kind are decimal numbers that can be compared (Kubernetes
 * API concepts, "Resource versions"; guaranteed since 1.35, and true of all servers before). A version that is not
 * decimal counts as later.
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
