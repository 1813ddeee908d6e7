import { createHash, randomBytes } from "node:crypto";
import type { Kysely } from "kysely";
import {
  claimKey,
  type IdempotentRequest,
  releaseKey,
  type StoredAnswer,
  storeAnswer,
  whileAlone,
} from "../../database/accounts/idempotency.ts";
import type { Database } from "../../database/tables.ts";
import { RequestError } from "../../domain/errors.ts";
import type { Answer } from "../context.ts";
import { malformed, refuse } from "./errors.ts";

/** Each run holds one database connection besides those it works with: too many would wait for each other. */
const MAX_CONCURRENT = 4;

type Repeatable = {
  db: Kysely<Database>;
  tokenId: string;
  /** The Idempotency-Key header. */
  key: string;
  /** Method, address and body: what makes two requests the same. */
  content: string;
  now: Date;
  /** Keep the answer, and give it to repetitions; else they run anew. */
  keep: boolean;
};

/** Runs POST requests so that the same key and content come to the same, once. */
export type Idempotency = (request: Repeatable, run: (making: Making) => Promise<Answer>) => Promise<StoredAnswer>;

/** What a POST makes: its name, and whether an earlier run that was cut off may have made it. */
export type Making = { uniqueName: string; again: boolean };

export function idempotency(): Idempotency {
  const running = new Set<string>();
  const waiting: (() => void)[] = [];

  /** Waits for a free place and takes it, unless the same request has one. */
  async function enter(id: string): Promise<void> {
    while (!running.has(id) && running.size >= MAX_CONCURRENT)
      await new Promise<void>((resolve) => waiting.push(resolve));
    if (running.has(id)) {
      // Woken for a place that it does not take: the next one may.
      waiting.shift()?.();
      throw stillRunning();
    }
    running.add(id);
  }

  function leave(id: string): void {
    running.delete(id);
    waiting.shift()?.();
  }

  return async ({ db, tokenId, key, content, now, keep }, run) => {
    if (!/^[\x21-\x7e]{1,255}$/.test(key))
      throw malformed("invalid_idempotency_key", "Idempotency-Key must be 1 to 255 printable ASCII characters.", {
        header: "Idempotency-Key",
      });
    const request: IdempotentRequest = { tokenId, key, hash: createHash("sha256").update(content).digest() };
    const id = `${tokenId} ${key}`;
    await enter(id);
    try {
      const answer = await whileAlone(db, request, () => runOnce(db, request, { now, keep }, run));
      if (!answer) throw stillRunning();
      return answer;
    } finally {
      leave(id);
    }
  };
}

async function runOnce(
  db: Kysely<Database>,
  request: IdempotentRequest,
  { now, keep }: { now: Date; keep: boolean },
  run: (making: Making) => Promise<Answer>,
): Promise<StoredAnswer> {
  const claim = await claimKey(db, request, now);
  if (claim.state === "done") return claim.answer;
  if (claim.state === "other")
    throw refuse(
      422,
      "idempotency_key_reused",
      "Idempotency key reused",
      "This Idempotency-Key was used with another request; take a new one for each request.",
      { header: "Idempotency-Key" },
    );
  try {
    const answer = asStored(await run({ uniqueName: claim.name, again: claim.again }));
    if (keep) await storeAnswer(db, request, answer);
    return answer;
  } catch (error) {
    // A refused request did nothing: mended, it may come again under the same key. After
    // any other error the key stays taken, and a retry meets what was made so far.
    if (error instanceof RequestError && error.status < 500) await releaseKey(db, request);
    throw error;
  }
}

export function asStored(answer: Answer): StoredAnswer {
  if (!("document" in answer)) throw new Error("Only documents can be stored.");
  return { status: answer.status, headers: answer.headers ?? {}, body: JSON.stringify(answer.document) };
}

/** A name for a request that brings no key. */
export function randomName(): string {
  return randomBytes(16).toString("hex");
}

function stillRunning(): RequestError {
  return refuse(
    409,
    "request_running",
    "Conflict",
    "A request with this Idempotency-Key is still running; send it again later for its answer.",
    { header: "Idempotency-Key" },
    { "Retry-After": "1" },
  );
}
