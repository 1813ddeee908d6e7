import { type Kysely, sql } from "kysely";
import type { ClientBase } from "pg";
import { pause } from "../../time/retry.ts";
import type { Database } from "../tables.ts";

/**
 * Keeps former leaders from writing to PostgreSQL (docs/adr/0020). A new leader registers its
 * term and ends the connections of all former leaders; a new connection is refused when its
 * term is no longer the newest.
 */
export type LeaderTerm = {
  /** The name of the election, for example the Lease's namespace and name. */
  name: string;
  /** Increases with each new leader. */
  term: number;
};

/** Another process leads now: this one must no longer write. */
export class DeposedError extends Error {
  constructor({ name, term }: LeaderTerm, newest: number | undefined) {
    super(
      `The leader of ${name} has term ${newest ?? "none"}, and this process has term ${term}: it no longer leads and writes nothing more.`,
    );
    this.name = "DeposedError";
  }
}

/** Each connection of a leader holds this lock in shared mode, so that a new leader finds it. */
const LOCK_CLASS = sql`hashtext('site-validator leader')`;
const POLL_MS = 50;

/**
 * Registers a leader's term, and resolves when all connections of former leaders are closed:
 * their uncommitted changes are rolled back.
 *
 * @param db a connection without a term
 * @param signal ends the wait for those connections
 * @throws DeposedError when a newer leader has registered already; the signal's reason when it ends the wait
 */
export async function registerTerm(db: Kysely<Database>, leader: LeaderTerm, signal: AbortSignal): Promise<void> {
  const { name, term } = leader;
  const { rows } = await sql`
    insert into leader_terms (name, term) values (${name}, ${term})
    on conflict (name) do update set term = excluded.term where leader_terms.term <= excluded.term
    returning term`.execute(db);
  // The term is committed: connections that are opened from now on see it.
  if (rows.length === 0) throw new DeposedError(leader, await newestTerm(db, name));
  while ((await endFormerLeaders(db, name)) > 0) {
    await pause(POLL_MS, signal);
    signal.throwIfAborted();
  }
}

/**
 * @returns how many connections were asked to end; each exists until its transaction is rolled back
 */
async function endFormerLeaders(db: Kysely<Database>, name: string): Promise<number> {
  const { rows } = await sql`
    select pg_terminate_backend(pid) from pg_locks
    where locktype = 'advisory' and objsubid = 2
      and database = (select oid from pg_database where datname = current_database())
      and classid::bigint = ${LOCK_CLASS}::bigint & 4294967295
      and objid::bigint = hashtext(${name})::bigint & 4294967295`.execute(db);
  return rows.length;
}

async function newestTerm(db: Kysely<Database>, name: string): Promise<number | undefined> {
  const row = await db.selectFrom("leader_terms").select("term").where("name", "=", name).executeTakeFirst();
  return row && Number(row.term);
}

/**
 * Registers a new connection under a leader's term.
 *
 * @throws DeposedError when the term is not the newest
 */
export async function joinTerm(client: ClientBase, leader: LeaderTerm): Promise<void> {
  // The lock comes first, in a statement of its own: a leader that registers in the meantime
  // either finds the lock, or the second statement sees its term.
  await client.query("select pg_advisory_lock_shared(hashtext('site-validator leader'), hashtext($1))", [leader.name]);
  const { rows } = await client.query("select term from leader_terms where name = $1", [leader.name]);
  const newest = rows[0] === undefined ? undefined : Number(rows[0].term);
  if (newest !== leader.term) throw new DeposedError(leader, newest);
}
