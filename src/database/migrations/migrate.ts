import { type Kysely, sql } from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import type { Backoff } from "../../domain/backoff.ts";
import { retry } from "../../time/retry.ts";
import type { Database } from "../tables.ts";
import { up as schema } from "./0001-schema.ts";

/** All migrations in order. Names sort in that order. README.md says how the schema changes after the first release. */
export const migrations: Record<string, Migration> = {
  "0001-schema": { up: schema },
};

/** How long to retry while other sessions hold locks that a migration needs. */
const MAX_WAIT_MS = 600_000;
/** The pauses are longer than lock_timeout: queries that queued behind the migration run in between. */
const lockBackoff: Backoff = { baseMs: 2_000, maxMs: 15_000 };
const LOCK_NOT_AVAILABLE = "55P03";

/** A migration did not get a lock in time and will be tried again. */
export type LockWait = { error: Error; holders: LockHolder[] };

export type MigrateOptions = {
  /** Ends the wait for locks. */
  signal?: AbortSignal;
  onLocked?: (wait: LockWait) => void;
  /** The migrations of this version, by name. */
  own?: Record<string, Migration>;
};

/**
 * Brings the schema up to date. Safe when several processes start at the same time: Kysely
 * holds an advisory lock for the whole run, and the second process has nothing left to do.
 * Migrations of a later version that the database already has are left alone: the programs of
 * version N−1 work with schema N, so the programs can be rolled back.
 *
 * While a migration waits for a lock, all queries on that table queue behind it. So it waits only
 * for `lock_timeout`, lets them pass, and tries again, for up to ten minutes.
 *
 * @returns the names of the migrations applied by this call
 * @throws the first migration's error; nothing of that migration is kept
 */
export function migrate(
  db: Kysely<Database>,
  { signal, onLocked, own = migrations }: MigrateOptions = {},
): Promise<string[]> {
  const isLocked = (error: unknown): error is Error =>
    error instanceof Error && "code" in error && error.code === LOCK_NOT_AVAILABLE;
  const attempt = async () => {
    try {
      return await migrateOnce(db, own);
    } catch (error) {
      if (isLocked(error)) onLocked?.({ error, holders: await listLockHolders(db).catch(() => []) });
      throw error;
    }
  };
  return retry(attempt, {
    shouldRetry: (error, { elapsedMs }) => isLocked(error) && elapsedMs < MAX_WAIT_MS,
    ...{ backoff: lockBackoff, ...(signal && { signal }) },
  });
}

async function migrateOnce(db: Kysely<Database>, own: Record<string, Migration>): Promise<string[]> {
  const known = { ...(await laterMigrations(db, own)), ...own };
  const failures: unknown[] = [];
  const noted = Object.entries(known).map(([name, migration]) => [name, noting(migration, failures)]);
  const provider = { getMigrations: async () => Object.fromEntries(noted) };
  const { error, results = [] } = await new Migrator({ db, provider }).migrateToLatest();
  // When the connection is lost, Kysely fails again while releasing its lock, and throws only that error.
  if (error) throw failures[0] ?? error;
  return results.filter((result) => result.status === "Success").map((result) => result.migrationName);
}

/** The same migration, but its error is also added to `failures`. */
function noting({ up }: Migration, failures: unknown[]): Migration {
  return {
    up: (db) =>
      up(db).catch((error: unknown) => {
        failures.push(error);
        throw error;
      }),
  };
}

/** The migrations of a later version, by name only: Kysely refuses a history with unknown names. */
async function laterMigrations(
  db: Kysely<Database>,
  own: Record<string, Migration>,
): Promise<Record<string, Migration>> {
  const table = await sql<{ found: boolean }>`
    select to_regclass('kysely_migration') is not null as found
  `.execute(db);
  if (!table.rows[0]?.found) return {};
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  const latest = Object.keys(own).sort().at(-1) ?? "";
  return Object.fromEntries(rows.filter(({ name }) => name > latest).map(({ name }) => [name, { up: async () => {} }]));
}

/** A lock that another session holds on a table. */
export type LockHolder = { pid: number; application: string; table: string; since: string };

const MAX_HOLDERS = 10;

/** The locks on tables of this schema, longest transaction first. Some values are empty for sessions of another role. */
async function listLockHolders(db: Kysely<Database>): Promise<LockHolder[]> {
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
