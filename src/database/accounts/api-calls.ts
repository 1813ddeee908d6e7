import { type Kysely, sql } from "kysely";
import type { Database } from "../tables.ts";

export type CallReservation = {
  /** Who calls. */
  key: string;
  /** Calls to reserve, as far as any are left. */
  want: number;
  /** Calls of one window, over all processes. */
  limit: number;
  windowMs: number;
  now: Date;
};

export type CallGrant = {
  /** How many of the wanted calls are granted. */
  granted: number;
  /** Calls reserved in this window, including those just granted. */
  used: number;
  endsAt: Date;
};

/**
 * Reserves calls in a caller's current window, or begins a new window, in one statement: many
 * processes together never get more than the limit.
 */
export async function reserveCalls(db: Kysely<Database>, reservation: CallReservation): Promise<CallGrant> {
  const { key, want, limit, windowMs } = reservation;
  const now = sql`${reservation.now}::timestamptz`;
  const length = sql`make_interval(secs => ${windowMs / 1000}::float8)`;
  // An end too far in the future comes from a wrong clock, and must not lock anybody out.
  const over = sql`(c.ends_at <= ${now} or c.ends_at > ${now} + 2 * ${length})`;
  const used = sql`(case when ${over} then 0 else c.used end)`;
  const granted = sql`least(${want}::integer, greatest(0, ${limit}::integer - ${used}))`;
  const { rows } = await sql<CallGrant>`
    insert into api_calls as c (key, ends_at, used, granted)
    values (${key}, ${now} + ${length}, least(${want}::integer, ${limit}::integer), least(${want}::integer, ${limit}::integer))
    on conflict (key) do update set
      ends_at = case when ${over} then excluded.ends_at else c.ends_at end,
      used = ${used} + ${granted},
      granted = ${granted}
    returning granted, used, ends_at as "endsAt"`.execute(db);
  const grant = rows[0];
  if (!grant) throw new Error("Reserving calls returned no row.");
  return grant;
}

/** The most rows that one sweep removes, to keep it short. */
const MAX_SWEPT_ROWS = 5_000;

/** Deletes windows that ended before `before`. Locked rows are left for the next sweep. */
export async function deleteExpiredCalls(db: Kysely<Database>, before: Date): Promise<void> {
  await sql`
    delete from api_calls where key = any(array(
      select key from api_calls where ends_at < ${before} limit ${MAX_SWEPT_ROWS} for update skip locked
    ))`.execute(db);
}
