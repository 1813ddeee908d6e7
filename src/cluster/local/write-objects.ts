import { type Kysely, sql, type Transaction } from "kysely";
import { isUniqueViolation } from "../../database/connection/errors.ts";
import type { Database } from "../../database/tables.ts";
import type { Kind, ObjectMeta, Resource, Resources } from "../../schema/resources.ts";
import { ClusterError } from "../port.ts";
import { find } from "./read-objects.ts";

/** The NOTIFY channel of every write; its payload is the version. */
export const CHANNEL = "site_validator_cluster";

/** The operations of one write transaction. */
export type Writer = {
  find<K extends Kind>(kind: K, namespace: string, name: string): Promise<Resources[K] | undefined>;
  exists(uid: string): Promise<boolean>;
  dependentsOf(namespace: string, uid: string): Promise<Resource[]>;
  /** Stores the object under the next version and returns it as stored. */
  put<Object extends Resource>(type: "ADDED" | "MODIFIED", object: Object): Promise<Object>;
  remove(object: Resource): Promise<void>;
};

/**
 * Runs one write transaction. The lock on the version's row serialises them, so versions are in
 * commit order (the numbers of a sequence are not): a reader that has seen version n never
 * sees a smaller one later.
 *
 * @param retainChanges older changes are deleted from time to time; a watch from there is `Expired`
 */
export async function write<Result>(
  db: Kysely<Database>,
  retainChanges: number,
  body: (writer: Writer) => Promise<Result>,
): Promise<Result> {
  return db.transaction().execute(async (trx) => {
    const row = await trx
      .selectFrom("cluster_version")
      .select("resource_version")
      .forUpdate()
      .executeTakeFirstOrThrow();
    const before = BigInt(row.resource_version);
    let version = before;
    const result = await body(createWriter(trx, () => ++version));
    await trim(trx, retainChanges, before, version);
    return result;
  });
}

/** Deletes changes that are too old, each time that a tenth of the retained number has been added. */
async function trim(db: Kysely<Database>, retainChanges: number, before: bigint, version: bigint): Promise<void> {
  const interval = BigInt(Math.max(1, Math.floor(retainChanges / 10)));
  if (version / interval === before / interval) return;
  await db
    .deleteFrom("cluster_changes")
    .where("resource_version", "<=", String(version - BigInt(retainChanges)))
    .execute();
}

/**
 * Stores a new object under the next version, as `write` would, but in a single statement. All writes wait for the lock
 * on the version's row, so fewer round trips while it is held mean more objects per second.
 *
 * @throws ClusterError `AlreadyExists` when its name is taken
 */
export async function insert<Object extends Resource>(
  db: Kysely<Database>,
  retainChanges: number,
  object: Object,
): Promise<Object> {
  const { kind, metadata } = object;
  const { namespace, name, uid } = metadata;
  try {
    const { rows } = await sql<{ version: string }>`
      with version as (
        update cluster_version set resource_version = resource_version + 1 returning resource_version
      ),
      stored as (
        insert into cluster_objects (kind, namespace, name, uid, resource_version, object)
        select ${kind}, ${namespace}, ${name}, ${uid}, resource_version,
          jsonb_set(${JSON.stringify(object)}::jsonb, '{metadata,resourceVersion}', to_jsonb(resource_version::text))
        from version
        returning resource_version, object
      ),
      change as (
        insert into cluster_changes (resource_version, type, kind, object)
        select resource_version, 'ADDED', ${kind}, object from stored
      )
      select resource_version as version, pg_notify(${CHANNEL}, resource_version::text) from stored`.execute(db);
    const [row] = rows;
    if (!row) throw new Error("The database has no version of the cluster: the row of cluster_version is missing.");
    const version = BigInt(row.version);
    // The object is stored even if trimming fails: a later write deletes those changes.
    await trim(db, retainChanges, version - 1n, version).catch(() => {});
    return at(object, version);
  } catch (error) {
    // The whole statement is rolled back, so that no version is missing.
    if (!isUniqueViolation(error, "cluster_objects_pkey")) throw error;
    throw new ClusterError("AlreadyExists", `${kind} "${name}" already exists.`);
  }
}

function createWriter(trx: Transaction<Database>, nextVersion: () => bigint): Writer {
  return {
    find: (kind, namespace, name) => find(trx, kind, namespace, name),
    async exists(uid) {
      const row = await trx.selectFrom("cluster_objects").select("uid").where("uid", "=", uid).executeTakeFirst();
      return row !== undefined;
    },
    async dependentsOf(namespace, uid) {
      const rows = await trx
        .selectFrom("cluster_objects")
        .select("object")
        .where("namespace", "=", namespace)
        .where(sql<boolean>`object -> 'metadata' -> 'ownerReferences' @> ${JSON.stringify([{ uid }])}::jsonb`)
        .orderBy("name")
        .execute();
      return rows.map((row) => row.object);
    },
    async put(type, object) {
      const stored = at(object, nextVersion());
      const { kind, metadata } = stored;
      const json = JSON.stringify(stored);
      await sql`
        with version as (update cluster_version set resource_version = ${metadata.resourceVersion}::bigint),
        stored as (
          insert into cluster_objects (kind, namespace, name, uid, resource_version, object)
          values (${kind}, ${metadata.namespace}, ${metadata.name}, ${metadata.uid}, ${metadata.resourceVersion}, ${json})
          on conflict (kind, namespace, name) do update
          set resource_version = excluded.resource_version, object = excluded.object
        ),
        change as (
          insert into cluster_changes (resource_version, type, kind, object)
          values (${metadata.resourceVersion}, ${type}, ${kind}, ${json})
        )
        select pg_notify(${CHANNEL}, ${metadata.resourceVersion})`.execute(trx);
      return stored;
    },
    async remove(object) {
      const { kind, metadata } = at(object, nextVersion());
      await sql`
        with version as (update cluster_version set resource_version = ${metadata.resourceVersion}::bigint),
        removed as (delete from cluster_objects where uid = ${metadata.uid}),
        change as (
          insert into cluster_changes (resource_version, type, kind, object)
          values (${metadata.resourceVersion}, 'DELETED', ${kind}, ${JSON.stringify({ ...object, metadata })})
        )
        select pg_notify(${CHANNEL}, ${metadata.resourceVersion})`.execute(trx);
    },
  };
}

function at<Object extends { metadata: ObjectMeta }>(object: Object, version: bigint): Object {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
}
