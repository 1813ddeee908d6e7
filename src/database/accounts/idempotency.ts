import { createHash } from "node:crypto";
import { type Kysely, sql } from "kysely";
import type { Database } from "../tables.ts";

/** How long an answer is replayed. */
const KEPT_MS = 24 * 60 * 60 * 1000;

export type StoredAnswer = { status: number; headers: Record<string, string>; body: string };

/** What is known about a key: it is ours to run (again), its answer, or used for another request. */
export type Claim =
  | { state: "run"; name: string; again: boolean }
  | { state: "done"; answer: StoredAnswer }
  | { state: "other" };

export type IdempotentRequest = { tokenId: string; key: string; hash: Buffer };

/**
 * Runs `body` while no other process runs the same request; returns undefined when
 * one does. The lock is the connection's: it ends with a process that is killed, so
 * that the client's retry need not wait for a time to pass.
 */
export function whileAlone<Result>(
  db: Kysely<Database>,
  request: IdempotentRequest,
  body: () => Promise<Result>,
): Promise<Result | undefined> {
  const lock = createHash("sha256").update(`${request.tokenId} ${request.key}`).digest().readBigInt64BE().toString();
  return db.connection().execute(async (connection) => {
    const { rows } = await sql<{ ours: boolean }>`select pg_try_advisory_lock(${lock}::bigint) as ours`.execute(
      connection,
    );
    if (!rows[0]?.ours) return undefined;
    try {
      return await body();
    } finally {
      await sql`select pg_advisory_unlock(${lock}::bigint)`.execute(connection).catch(() => {});
    }
  });
}

/**
 * Takes a key for a request, or tells what became of the request that took it first.
 * A key without an answer belongs to a run that was cut off: it is run again under
 * the same name, and meets what the first run made.
 */
export async function claimKey(db: Kysely<Database>, request: IdempotentRequest, now: Date): Promise<Claim> {
  const { tokenId, key, hash } = request;
  await db
    .deleteFrom("idempotency_keys")
    .where("token_id", "=", tokenId)
    .where("inserted_at", "<", new Date(now.getTime() - KEPT_MS))
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
    return { state: "done", answer: { status: row.status, headers: row.headers ?? {}, body: row.body ?? "" } };
  // The time is part of the name: the same key means another request once 24 hours have passed.
  const name = createHash("sha256").update(`${tokenId} ${row.inserted_at.toISOString()} ${key}`).digest("hex");
  return { state: "run", name, again: inserted === undefined };
}

/** Keeps the answer for the request's repetitions. */
export async function storeAnswer(
  db: Kysely<Database>,
  request: IdempotentRequest,
  answer: StoredAnswer,
): Promise<void> {
  await db
    .updateTable("idempotency_keys")
    .set({ status: answer.status, headers: JSON.stringify(answer.headers), body: answer.body })
    .where("token_id", "=", request.tokenId)
    .where("key", "=", request.key)
    .execute();
}

/** Gives the key free after a request that was refused and did nothing. */
export async function releaseKey(db: Kysely<Database>, request: IdempotentRequest): Promise<void> {
  await db
    .deleteFrom("idempotency_keys")
    .where("token_id", "=", request.tokenId)
    .where("key", "=", request.key)
    .where("status", "is", null)
    .execute();
}
