import { type Kysely, sql } from "kysely";
import type { Database } from "../../database/tables.ts";
import type { Kind, Resource, Resources } from "../../schema/resources.ts";
import { ClusterError } from "../port.ts";

/** One object as it is now. */
export async function find<K extends Kind>(
  db: Kysely<Database>,
  kind: K,
  namespace: string,
  name: string,
): Promise<Resources[K] | undefined> {
  const row = await db
    .selectFrom("cluster_objects")
    .select("object")
    .where("kind", "=", kind)
    .where("namespace", "=", namespace)
    .where("name", "=", name)
    .executeTakeFirst();
  return row?.object as Resources[K] | undefined;
}

/** All objects of a kind and the version of the snapshot that they are from. */
export async function list<K extends Kind>(
  db: Kysely<Database>,
  kind: K,
  options: { namespace?: string; labels?: Record<string, string> },
): Promise<{ items: Resources[K][]; resourceVersion: string }> {
  // One statement, so that objects and version are consistent.
  const { rows } = await sql<{ version: string; object: Resource | null }>`
    select v.resource_version as version, o.object
    from cluster_version v left join cluster_objects o
      on o.kind = ${kind}
      and ${options.namespace ? sql`o.namespace = ${options.namespace}` : sql`true`}
      and ${
        options.labels ? sql`o.object -> 'metadata' -> 'labels' @> ${JSON.stringify(options.labels)}::jsonb` : sql`true`
      }
    order by o.namespace, o.name`.execute(db);
  return {
    items: rows.flatMap((row) => (row.object ? [row.object as Resources[K]] : [])),
    resourceVersion: rows[0]?.version ?? "0",
  };
}

export type Change = { type: "ADDED" | "MODIFIED" | "DELETED"; object: Resource };

/**
 * The next changes of a kind, and the version up to which they are complete.
 * @throws ClusterError `Expired` when changes after `version` have been deleted
 */
export async function changesAfter(
  db: Kysely<Database>,
  kind: Kind,
  version: bigint,
  limit: number,
): Promise<{ changes: Change[]; upTo: bigint }> {
  const { rows } = await sql<{ current: string; oldest: string | null; version: string | null } & Change>`
    select v.resource_version as current, (select min(resource_version) from cluster_changes) as oldest,
      c.resource_version as version, c.type, c.object
    from cluster_version v left join lateral (
      select resource_version, type, object from cluster_changes
      where kind = ${kind} and resource_version > ${String(version)}::bigint
      order by resource_version limit ${limit}
    ) c on true
    order by c.resource_version`.execute(db);
  const current = BigInt(rows[0]?.current ?? 0);
  const oldest = BigInt(rows[0]?.oldest ?? current + 1n);
  // Versions have no gaps: the change after `version` must still be there, or there is none yet.
  // A version in the future means that the database was restored from a backup.
  if (oldest > version + 1n || version > current)
    throw new ClusterError("Expired", `The version ${version} is too old; changes are retained from ${oldest} on.`);
  const changes = rows.flatMap((row) => (row.version ? [{ type: row.type, object: row.object }] : []));
  const last = rows.at(-1)?.version;
  return { changes, upTo: changes.length === limit && last ? BigInt(last) : current };
}
