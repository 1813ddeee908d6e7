import { type Kysely, sql } from "kysely";
import type { Database } from "../tables.ts";

export type CallClaim = {
  /** Who calls. */
  key: string;
  /** Calls to take, as far as there are any left. */
  want: number;
  /** Calls of one window, over all processes. */
  limit: number;
  windowMs: number;
  now: Date;
};

export type CallGrant = {
  /** How many of those wanted may be made. */
  granted: number;
  /** Calls of this window that are taken, those just granted among them. */
  used: number;
  endsAt: Date;
};

/**
 * Takes calls out of a caller's current window, or begins one, in one statement: many
 * processes together never get more than the limit.
 */
export async function claimCalls(db: Kysely<Database>, claim: CallClaim): Promise<CallGrant> {
  const { key, want, limit, windowMs } = claim;
  const now = sql`${claim.now}::timestamptz`;
  const length = sql`make_interval(secs => ${windowMs / 1000}::float8)`;
  // An end that is too far away was set by a clock that went wrong: it must not lock anybody out.
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
  if (!grant) throw new Error("A claim of calls always returns its row.");
  return grant;
}

/** Most rows that one sweep removes: it must not hold anybody up. */
const SWEEP = 5_000;

/** Removes windows that ended before `before`. Rows that somebody else works on stay for the next time. */
export async function forgetCalls(db: Kysely<Database>, before: Date): Promise<void> {
  await sql`
    delete from api_calls where key = any(array(
      select key from api_calls where ends_at < ${before} limit ${SWEEP} for update skip locked
    ))`.execute(db);
}
