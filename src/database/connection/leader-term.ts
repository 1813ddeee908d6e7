import { type Kysely, sql } from "kysely";
import type { ClientBase } from "pg";
import { pause } from "../../time/retry.ts";
import type { Database } from "../tables.ts";

/**
 * Keeps a former leader from writing to Postgres (docs/adr/0020). A new leader registers its
 * term and ends the connections of all leaders before it; a connection of a term that is no
 * longer the newest is refused as it is made.
 */
export type LeaderTerm = {
  /** What is led, for example the Lease's namespace and name. */
  name: string;
  /** Rises with each new leader. */
  term: number;
};

/** Another leader has come since: this one must not write any more. */
export class DeposedError extends Error {
  constructor({ name, term }: LeaderTerm, newest: number | undefined) {
    super(
      `The leader of ${name} has term ${newest ?? "none"}, and this process has term ${term}: it no longer leads and writes nothing more.`,
    );
    this.name = "DeposedError";
  }
}

/** Each connection of a leader holds this lock, shared: so a new leader finds them. */
const LOCK_CLASS = sql`hashtext('site-validator leader')`;
const WAIT_MS = 50;

/**
 * Registers a leader's term, and resolves when no connection of a leader before it is left:
 * what those had not committed is rolled back.
 *
 * @param db without a term of its own
 * @param signal ends the wait for those connections
 * @throws DeposedError when a newer leader has registered already; the signal's reason when it ends the wait
 */
export async function registerTerm(db: Kysely<Database>, leader: LeaderTerm, signal: AbortSignal): Promise<void> {
  const { name, term } = leader;
  const { rows } = await sql`
    insert into leader_terms (name, term) values (${name}, ${term})
    on conflict (name) do update set term = excluded.term where leader_terms.term <= excluded.term
    returning term`.execute(db);
  // Committed by now: connections that are made from here on see it.
  if (rows.length === 0) throw new DeposedError(leader, await newestTerm(db, name));
  while ((await endFormerLeaders(db, name)) > 0) {
    await pause(WAIT_MS, signal);
    signal.throwIfAborted();
  }
}

/**
 * @returns how many connections were told to end; each is there until its transaction is rolled back
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
 * Makes a new connection one of this term's.
 *
 * @throws DeposedError when the term is not the newest
 */
export async function joinTerm(client: ClientBase, leader: LeaderTerm): Promise<void> {
  // The lock first, in a statement of its own: whoever registers meanwhile either finds
  // it or is seen by the second statement.
  await client.query("select pg_advisory_lock_shared(hashtext('site-validator leader'), hashtext($1))", [leader.name]);
  const { rows } = await client.query("select term from leader_terms where name = $1", [leader.name]);
  const newest = rows[0] === undefined ? undefined : Number(rows[0].term);
  if (newest !== leader.term) throw new DeposedError(leader, newest);
}
