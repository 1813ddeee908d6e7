import { type Kysely, sql } from "kysely";
import type { Database } from "../tables.ts";

/** How long a program that signs in may be silent before another one does: one that was killed holds up nobody for longer. */
export const HOLD_SECONDS = 15;

/** A session as it is stored. */
export type SessionRow = {
  generation: number;
  revision: number;
  cookies: Buffer | null;
  storage: Buffer | null;
  ended_by: string[];
};

/** With what is known of those who begin it. */
export type LockedSession = SessionRow & {
  tries: number;
  failure: string | null;
  holder: string | null;
  /** Another program signs in, or a pause is not over. */
  waits: boolean;
};

const columns = sql`generation, revision, cookies_encrypted as cookies, storage_encrypted as storage, ended_by`;
/** A time of which nobody can mean that it is so far off was set before the server's clock was set back. */
const lasts = (column: string, seconds: number) =>
  sql`(${sql.ref(column)} > now() and ${sql.ref(column)} < now() + make_interval(secs => ${seconds}))`;

/** @returns undefined when it has this revision */
export async function readSession(
  db: Kysely<Database>,
  reportId: string,
  revision: number,
): Promise<SessionRow | undefined> {
  const { rows } = await sql<SessionRow>`
    select ${columns} from site_sessions where report_id = ${reportId} and revision <> ${revision}`.execute(db);
  return rows[0];
}

/** Locks a report's session, of which there is a row from then on. @returns undefined when there is no such report */
export async function lockSession(trx: Kysely<Database>, reportId: string): Promise<LockedSession | undefined> {
  await sql`
    insert into site_sessions (report_id) select id from reports where id = ${reportId} and deleted_at is null
    on conflict do nothing`.execute(trx);
  const { rows } = await sql<LockedSession>`
    select ${columns}, tries, failure, holder,
      (holder is not null and coalesce(${lasts("held_until", 2 * HOLD_SECONDS)}, false)) or ${lasts("not_before", 3_600)} as waits
    from site_sessions where report_id = ${reportId} for update`.execute(trx);
  return rows[0];
}

/** Takes the right to sign in, and counts it: a program that is killed meanwhile has tried, too. */
export async function holdSession(trx: Kysely<Database>, reportId: string, holder: string): Promise<void> {
  await sql`
    update site_sessions set holder = ${holder}, tries = tries + 1,
      held_until = now() + make_interval(secs => ${HOLD_SECONDS})
    where report_id = ${reportId}`.execute(trx);
}

/** @returns false when another program has taken the right */
export async function prolongHold(db: Kysely<Database>, reportId: string, holder: string): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update site_sessions set held_until = now() + make_interval(secs => ${HOLD_SECONDS})
    where report_id = ${reportId} and holder = ${holder}`.execute(db);
  return numAffectedRows > 0n;
}

/**
 * Ends the right to sign in without a session.
 *
 * @param end.tries how many there have been; as many as were counted if left out
 * @param end.pauseMs until the next one
 */
export async function releaseSession(
  db: Kysely<Database>,
  reportId: string,
  holder: string,
  { failure, tries, pauseMs }: { failure: string | null; tries?: number; pauseMs: number },
): Promise<void> {
  await sql`
    update site_sessions set holder = null, failure = coalesce(${failure}, failure),
      tries = ${tries ?? sql`tries`}, not_before = now() + make_interval(secs => ${pauseMs / 1_000})
    where report_id = ${reportId} and holder = ${holder}`.execute(db);
}

/**
 * Stores a session that somebody has begun.
 *
 * @param begun.endings addresses that were found to end it
 * @param begun.pauseMs until the next one may begin
 * @returns undefined when another program has taken the right meanwhile: then theirs counts
 */
export async function beginSession(
  db: Kysely<Database>,
  reportId: string,
  holder: string,
  {
    cookies,
    storage,
    endings,
    pauseMs,
  }: { cookies: Buffer; storage: Buffer | null; endings: readonly string[]; pauseMs: number },
): Promise<SessionRow | undefined> {
  const { rows } = await sql<SessionRow>`
    update site_sessions set generation = generation + 1, revision = revision + 1,
      cookies_encrypted = ${cookies}, storage_encrypted = ${storage}, holder = null, tries = 0, failure = null,
      ended_by = (ended_by || ${endings}::text[])[1:100],
      not_before = now() + make_interval(secs => ${pauseMs / 1_000})
    where report_id = ${reportId} and holder = ${holder} returning ${columns}`.execute(db);
  return rows[0];
}

/** Stores what was renewed of a locked session. @param change.storage undefined to leave it */
export async function changeSession(
  trx: Kysely<Database>,
  reportId: string,
  { cookies, storage }: { cookies?: Buffer | undefined; storage?: Buffer | undefined },
): Promise<void> {
  await trx
    .updateTable("site_sessions")
    .set({
      revision: sql`revision + 1`,
      ...(cookies && { cookies_encrypted: cookies }),
      ...(storage && { storage_encrypted: storage }),
    })
    .where("report_id", "=", reportId)
    .execute();
}

/** Deletes the session of a report that has ended. */
export async function deleteSession(trx: Kysely<Database>, reportId: string): Promise<void> {
  await trx.deleteFrom("site_sessions").where("report_id", "=", reportId).execute();
}

/** Deletes the sessions of reports that are deleted, or have ended while a program still wrote. */
export async function deleteLostSessions(db: Kysely<Database>): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from site_sessions s using reports r
    where r.id = s.report_id and (r.deleted_at is not null or r.phase in ('Complete', 'Failed'))`.execute(db);
  return Number(numAffectedRows);
}
