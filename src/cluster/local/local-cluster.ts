import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Kysely } from "kysely";
import type { ConnectionLimits } from "../../database/connection/connection-options.ts";
import type { Database } from "../../database/tables.ts";
import type { Kind, Resource } from "../../schema/resources.ts";
import type { Logger } from "../../telemetry/log.ts";
import { type Cluster, ClusterError } from "../port.ts";
import { admitName, admitSpec, admitStatus } from "./admission.ts";
import { find, list } from "./read-objects.ts";
import { availableOrThrow } from "./unavailable.ts";
import { watch } from "./watch.ts";
import { insert, type Writer, write } from "./write-objects.ts";

export type LocalClusterOptions = {
  /** The URL of the same database, for the watches' LISTEN connections. */
  url: string;
  log: Logger;
  /** Limits of the watches' connections; defaults apply to those left out. */
  limits?: Partial<ConnectionLimits>;
  /** Changes kept for watches to resume from. */
  retainChanges?: number;
};

/** A cluster in PostgreSQL tables, for one machine. The job runner runs its Jobs. */
export function createLocalCluster(db: Kysely<Database>, options: LocalClusterOptions): Cluster {
  const { log, retainChanges = 5_000 } = options;
  const change = <Result>(body: (writer: Writer) => Promise<Result>) =>
    availableOrThrow(() => write(db, retainChanges, body));

  return {
    get: (kind, namespace, name) => availableOrThrow(() => find(db, kind, namespace, name)),
    list: (kind, listOptions = {}) => availableOrThrow(() => list(db, kind, listOptions)),
    watch: (kind, watchOptions) => watch(db, options, kind, watchOptions),

    async create(object) {
      const { kind } = object;
      const { metadata } = object;
      admitName(kind, metadata);
      const spec = admitSpec(kind, metadata.name, object.spec);
      const { deletionTimestamp: _, ...given } = metadata;
      const system = { uid: randomUUID(), resourceVersion: "", generation: 1 };
      const complete = plain({
        apiVersion: object.apiVersion,
        kind,
        metadata: { ...given, ...system, creationTimestamp: new Date().toISOString() },
        spec,
      } as Resource);
      const owners = metadata.ownerReferences ?? [];
      if (owners.length === 0) return availableOrThrow(() => insert(db, retainChanges, complete)) as never;
      return change(async (writer) => {
        if (await writer.find(kind, metadata.namespace, metadata.name))
          throw new ClusterError("AlreadyExists", `${kind} "${metadata.name}" already exists.`);
        const created = await writer.put("ADDED", complete);
        if (!(await anyExists(writer, owners))) {
          // Its owner was deleted just before: nothing else would remove the object.
          log.info("removed an object whose owner is deleted", { kind, name: metadata.name });
          await writer.remove(created);
        }
        return created as never;
      });
    },

    async update(object) {
      const { kind, metadata } = object;
      return change(async (writer) => {
        const current = await currentOf(writer, object);
        const spec = admitSpec(kind, metadata.name, object.spec, current.spec);
        const specChanged = !isDeepStrictEqual(plain(spec), current.spec);
        const added = (metadata.finalizers ?? []).filter((name) => !current.metadata.finalizers?.includes(name));
        if (current.metadata.deletionTimestamp && added.length > 0)
          throw new ClusterError(
            "Invalid",
            `${kind} "${metadata.name}" is being deleted, so no finalizers can be added.`,
          );
        const { labels, annotations, finalizers, ownerReferences } = metadata;
        const next = plain<Resource>({
          ...current,
          metadata: {
            ...current.metadata,
            labels,
            annotations,
            finalizers: finalizers?.length ? finalizers : undefined,
            ownerReferences,
            generation: current.metadata.generation + (specChanged ? 1 : 0),
          },
          spec,
        } as Resource);
        if (next.metadata.deletionTimestamp && !next.metadata.finalizers) {
          await remove(writer, next);
          return next as typeof object;
        }
        // As in Kubernetes, an update without a change creates no version and no event.
        if (isDeepStrictEqual(next, current)) return current as typeof object;
        return (await writer.put("MODIFIED", next)) as typeof object;
      });
    },

    async updateStatus(object) {
      admitStatus(object.kind, object.metadata.name, object.status);
      return change(async (writer) => {
        const current = await currentOf(writer, object);
        const next = plain({ ...current, status: object.status } as Resource);
        if (isDeepStrictEqual(next, current)) return current as typeof object;
        return (await writer.put("MODIFIED", next)) as typeof object;
      });
    },

    async delete(kind, namespace, name, { uid } = {}) {
      await change(async (writer) => {
        const current: Resource | undefined = await writer.find(kind, namespace, name);
        if (!current) return;
        if (uid !== undefined && current.metadata.uid !== uid)
          throw new ClusterError(
            "Conflict",
            `${kind} "${name}" is another object: its uid is ${current.metadata.uid}.`,
          );
        await remove(writer, current);
      });
    },

    async record({ about, type, reason, message }) {
      const { namespace, name } = about.metadata;
      log.debug("event", { kind: about.kind, namespace, name, type, reason, about: message });
    },
  };
}

/** The stored object that `object` is a version of. */
async function currentOf(writer: Writer, object: Resource): Promise<Resource> {
  const { kind, metadata } = object;
  const current: Resource | undefined = await writer.find(kind as Kind, metadata.namespace, metadata.name);
  if (!current) throw new ClusterError("NotFound", `${kind} "${metadata.name}" not found.`);
  if (current.metadata.resourceVersion !== metadata.resourceVersion || current.metadata.uid !== metadata.uid)
    throw new ClusterError("Conflict", `${kind} "${metadata.name}" has been changed; read it again.`);
  return current;
}

/** Removes an object and its dependents, or marks it as deleted while it has finalizers. */
async function remove(writer: Writer, object: Resource): Promise<void> {
  const { metadata } = object;
  if (metadata.finalizers?.length) {
    if (metadata.deletionTimestamp) return;
    await writer.put("MODIFIED", {
      ...object,
      metadata: { ...metadata, deletionTimestamp: new Date().toISOString() },
    } as Resource);
    return;
  }
  await writer.remove(object);
  for (const dependent of await writer.dependentsOf(metadata.namespace, metadata.uid)) {
    if (!(await anyExists(writer, dependent.metadata.ownerReferences ?? []))) await remove(writer, dependent);
  }
}

async function anyExists(writer: Writer, owners: { uid: string }[]): Promise<boolean> {
  for (const { uid } of owners) if (await writer.exists(uid)) return true;
  return false;
}

/** The value as it is read back: without undefined. */
function plain<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value));
}
