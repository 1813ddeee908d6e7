import { type Kysely, sql } from "kysely";
import type { Database } from "../tables.ts";

/** A lock that another session holds on a table. */
export type LockHolder = { pid: number; application: string; table: string; since: string };

const MAX_HOLDERS = 10;

/** The locks on tables of this schema, longest transaction first. Some values are empty for sessions of another role. */
export async function listLockHolders(db: Kysely<Database>): Promise<LockHolder[]> {
  const { rows } = await sql<LockHolder>`
    select l.pid, coalesce(a.application_name, '') as application, c.relname as table,
      coalesce(a.xact_start::text, '') as since
    from pg_locks l
    join pg_class c on c.oid = l.relation
    left join pg_stat_activity a on a.pid = l.pid
    where l.granted and l.pid <> pg_backend_pid() and c.relkind = 'r'
      and l.database = (select oid from pg_database where datname = current_database())
      and c.relnamespace = current_schema()::regnamespace
    order by a.xact_start nulls last, l.pid, c.relname limit ${MAX_HOLDERS}`.execute(db);
  return rows;
}
