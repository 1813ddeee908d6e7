import { createHash, randomBytes } from "node:crypto";
import type { Kysely } from "kysely";
import {
  type IdempotentRequest,
  releaseKey,
  reserveKey,
  type StoredResponse,
  storeResponse,
  withRequestLock,
} from "../../../database/accounts/api-requests.ts";
import { MAX_LOCKS } from "../../../database/connection/connect.ts";
import type { Database } from "../../../database/tables.ts";
import { RequestError } from "../../../domain/errors.ts";
import type { Route, RouteResponse } from "../../context.ts";
import { malformed, refuse } from "../response/errors.ts";
import { concurrencyLimit } from "./concurrency-limit.ts";
import type { Holder } from "./holders.ts";

/**
 * Each run holds one of the connections for locks: as many run as there are of these. One caller has at most half of
 * them, however long its requests take.
 */
const LIMITS = { total: MAX_LOCKS, caller: 2, waitMs: 30_000, what: "requests with an Idempotency-Key" };

type Repeatable = {
  db: Kysely<Database>;
  tokenId: string;
  /** The Idempotency-Key header. */
  key: string;
  /** Method, address with its query, and body: what makes two requests the same. */
  content: string;
  /** Whose limits count (holderOf). */
  caller: Holder;
  /** Aborts when nobody waits for the response any more: a request that has not begun is then not run. */
  signal: AbortSignal;
  now: Date;
  /** Whether the response is stored and sent to retries; otherwise a retry runs the request again. */
  keep: boolean;
};

/**
 * Runs POST requests so that the same key and content take effect once.
 *
 * @throws RequestError 409 while the same request runs or waits, 422 when the key was used for another request, 429
 *   when other requests with keys take too long
 */
export type Idempotency = (
  request: Repeatable,
  run: (attempt: Attempt) => Promise<RouteResponse>,
) => Promise<StoredResponse>;

/** Whether a request to this route may have an Idempotency-Key; on all others it is ignored. */
export function acceptsKey({ method, access, showsSecret, isSafe }: Route): boolean {
  return method === "POST" && access === "account" && !showsSecret && !isSafe;
}

/** One run of a POST: the name of what it creates, and whether an interrupted earlier run may have created it. */
export type Attempt = { uniqueName: string; isRetry: boolean };

export function idempotency(): Idempotency {
  /** The requests that run or wait. */
  const entered = new Set<string>();
  const concurrency = concurrencyLimit(LIMITS);

  return async ({ db, tokenId, key, content, caller, signal, now, keep }, run) => {
    if (!/^[\x21-\x7e]{1,255}$/.test(key))
      throw malformed("invalid_idempotency_key", "Idempotency-Key must be 1 to 255 printable ASCII characters.", {
        header: "Idempotency-Key",
      });
    const request: IdempotentRequest = { tokenId, key, hash: createHash("sha256").update(content).digest() };
    const id = `${tokenId} ${key}`;
    if (entered.has(id)) throw stillRunning();
    entered.add(id);
    try {
      const end = await concurrency.take(caller, signal);
      const response = await withRequestLock(db, request, () => runOnce(db, request, { now, keep }, run)).finally(end);
      if (!response) throw stillRunning();
      return response;
    } finally {
      entered.delete(id);
    }
  };
}

async function runOnce(
  db: Kysely<Database>,
  request: IdempotentRequest,
  { now, keep }: { now: Date; keep: boolean },
  run: (attempt: Attempt) => Promise<RouteResponse>,
): Promise<StoredResponse> {
  const reservation = await reserveKey(db, request, now);
  if (reservation.state === "done") return reservation.response;
  if (reservation.state === "other")
    throw refuse(
      422,
      "idempotency_key_reused",
      "Idempotency key reused",
      "This Idempotency-Key was used with another request; use a new one for each request.",
      { header: "Idempotency-Key" },
    );
  try {
    const response = serializeResponse(await run({ uniqueName: reservation.name, isRetry: reservation.isRetry }));
    if (keep) await storeResponse(db, request, response);
    return response;
  } catch (error) {
    // A refused request did nothing: once corrected, it may use the same key again. After any other error the key stays
    // taken, and a retry finds what was created so far; so it does when a retry is refused, for an earlier run may have
    // created something.
    const didNothing = error instanceof RequestError && error.status < 500 && !reservation.isRetry;
    if (didNothing) await releaseKey(db, request);
    throw error;
  }
}

export function serializeResponse(response: RouteResponse): StoredResponse {
  if (!("document" in response)) throw new Error("Only responses with a document can be stored.");
  return { status: response.status, headers: response.headers ?? {}, body: JSON.stringify(response.document) };
}

/** A name for a request without a key. */
export function randomName(): string {
  return randomBytes(16).toString("hex");
}

function stillRunning(): RequestError {
  return refuse(
    409,
    "request_running",
    "Conflict",
    "A request with this Idempotency-Key is still running; send it again later to get its response.",
    { header: "Idempotency-Key" },
    { "Retry-After": "1" },
  );
}
