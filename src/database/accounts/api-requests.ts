import { createHash } from "node:crypto";
import { type Kysely, sql } from "kysely";
import { type BatchSizes, inBatches } from "../batches.ts";
import { aside } from "../connection/connect.ts";
import type { Database } from "../tables.ts";

/** How long a response is replayed. */
const RETENTION_MS = 24 * 60 * 60 * 1000;
/** How far the clocks of two machines may differ: a request that finds its key must not have it deleted meanwhile. */
const CLOCK_SKEW_MS = 300_000;
/** Keys that one statement deletes, each with a response that may be large. */
const withResponses: BatchSizes = { first: 100, most: 1_000, skips: true };

export type StoredResponse = { status: number; headers: Record<string, string>; body: string };

/** The state of a key: its request may run (again), has its response, or the key was used for another request. */
export type KeyReservation =
  | { state: "run"; name: string; isRetry: boolean }
  | { state: "done"; response: StoredResponse }
  | { state: "other" };

export type IdempotentRequest = { tokenId: string; key: string; hash: Buffer };

/**
 * Runs `body` while holding the request's lock; returns undefined when another process holds
 * it. The lock belongs to the connection: when a process is killed it is released, so a
 * client's retry does not have to wait.
 */
export function withRequestLock<Result>(
  db: Kysely<Database>,
  request: IdempotentRequest,
  body: () => Promise<Result>,
): Promise<Result | undefined> {
  const lock = createHash("sha256").update(`${request.tokenId} ${request.key}`).digest().readBigInt64BE().toString();
  return aside((locked) =>
    db.connection().execute(async (connection) => {
      const { rows } = await sql<{ ours: boolean }>`select pg_try_advisory_lock(${lock}::bigint) as ours`.execute(
        connection,
      );
      if (!rows[0]?.ours) return undefined;
      try {
        return await locked(body);
      } finally {
        await sql`select pg_advisory_unlock(${lock}::bigint)`.execute(connection).catch(() => {});
      }
    }),
  );
}

/**
 * Takes a key for a request, or returns the result of the request that took it first. A key
 * without a response belongs to a run that was interrupted: the request runs again under the
 * same name, and finds what the first run created.
 */
export async function reserveKey(db: Kysely<Database>, request: IdempotentRequest, now: Date): Promise<KeyReservation> {
  const { tokenId, key, hash } = request;
  await db
    .deleteFrom("idempotency_keys")
    .where("token_id", "=", tokenId)
    .where("inserted_at", "<", expiry(now))
    .execute();
  const inserted = await db
    .insertInto("idempotency_keys")
    .values({ token_id: tokenId, key, request_hash: hash, inserted_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .returning("key")
    .executeTakeFirst();
  const row = await db
    .selectFrom("idempotency_keys")
    .selectAll()
    .where("token_id", "=", tokenId)
    .where("key", "=", key)
    .executeTakeFirstOrThrow();
  if (!row.request_hash.equals(hash)) return { state: "other" };
  if (row.status !== null)
    return { state: "done", response: { status: row.status, headers: row.headers ?? {}, body: row.body ?? "" } };
  // The time is part of the name: the same key means another request once 24 hours have passed.
  const name = createHash("sha256").update(`${tokenId} ${row.inserted_at.toISOString()} ${key}`).digest("hex");
  return { state: "run", name, isRetry: inserted === undefined };
}

/** Keys that were used before this time mean new requests. */
function expiry(now: Date): Date {
  return new Date(now.getTime() - RETENTION_MS);
}

/** Deletes the expired keys of all tokens, with their responses: a token that is not used again deletes none. */
export async function deleteExpiredKeys(db: Kysely<Database>, now: Date, signal: AbortSignal): Promise<void> {
  const deleteSome = async (size: number) => {
    const { rows } = await sql`
      delete from idempotency_keys where (token_id, key) in (
        select token_id, key from idempotency_keys where inserted_at < ${expiry(new Date(now.getTime() - CLOCK_SKEW_MS))}
        limit ${size} for update skip locked
      ) returning key`.execute(db);
    return rows.length;
  };
  await inBatches(withResponses, deleteSome, signal);
}

/** Stores the response for retries of the request. */
export async function storeResponse(
  db: Kysely<Database>,
  request: IdempotentRequest,
  response: StoredResponse,
): Promise<void> {
  await db
    .updateTable("idempotency_keys")
    .set({ status: response.status, headers: JSON.stringify(response.headers), body: response.body })
    .where("token_id", "=", request.tokenId)
    .where("key", "=", request.key)
    .execute();
}

/** Releases the key after a request that was refused and did nothing. */
export async function releaseKey(db: Kysely<Database>, request: IdempotentRequest): Promise<void> {
  await db
    .deleteFrom("idempotency_keys")
    .where("token_id", "=", request.tokenId)
    .where("key", "=", request.key)
    .where("status", "is", null)
    .execute();
}

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
